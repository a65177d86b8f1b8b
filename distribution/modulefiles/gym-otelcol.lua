-- gym-otelcol for Lmod, installed by install.sh as
-- PREFIX/modulefiles/gym-otelcol/<version>.lua, which says where the programs are.
local version = myModuleVersion()
local prefix = myFileName():gsub("/modulefiles/[^/]+/[^/]+$", "")
local root = pathJoin(prefix, version)

help([[
gym-submit: submits benchmark jobs, each with an OpenTelemetry collector beside it.
Start with: gym-submit --help
]])
whatis("Name: gym-otelcol")
whatis("Version: " .. version)
whatis("Description: telemetry for LLM evaluation jobs")

conflict("gym-otelcol")
prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
append_path("MANPATH", "") -- and the pages of the system
