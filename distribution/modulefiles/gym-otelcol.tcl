#%Module1.0
# gym-otelcol for Environment Modules, installed by install.sh as
# PREFIX/modulefiles/gym-otelcol/<version>, which says where the programs are.
set version [file tail $ModulesCurrentModulefile]
set prefix [file dirname [file dirname [file dirname [file normalize $ModulesCurrentModulefile]]]]
set root [file join $prefix $version]

proc ModulesHelp {} {
    puts stderr "gym-submit: submits benchmark jobs, each with an OpenTelemetry collector beside it."
    puts stderr "Start with: gym-submit --help"
}
module-whatis "gym-submit and gym-otelcol $version: telemetry for LLM evaluation jobs"

conflict gym-otelcol
prepend-path PATH [file join $root bin]
prepend-path MANPATH [file join $root share/man]
append-path MANPATH {} ;# and the pages of the system
