// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/docs"
)

// With Environment Modules of this machine and Lmod of the Debian tree, `module load` finds the
// current version, and the named one on request; then come the commands of the documentation.
func TestModules(t *testing.T) {
	documented := guide{}.text(docs.Take(t, "docs/admin/install.md", "modules")) + "gym-submit --version\n"
	t.Run("environment-modules", func(t *testing.T) {
		init := "/usr/share/modules/init/bash"
		if _, err := os.Stat(init); err != nil {
			t.Skip("environment-modules is not installed")
		}
		s := twoVersions(t, filepath.Join(t.TempDir(), "gym"))
		script := `. ` + init + `; ` + useModules
		out, err := exec.Command("bash", "-c", script, s.prefix, newer).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		modulesWork(t, string(out))
		out, err = exec.Command("bash", "-c", ". "+init+"\n"+strings.ReplaceAll(documented, "/shared/gym-otelcol", s.prefix)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want(t, string(out), thisVersion+" (")
	})
	t.Run("lmod", func(t *testing.T) {
		tree := newTree(t)
		twoVersions(t, tree.path("shared/gym-otelcol"))
		script := `. /etc/profile.d/lmod.sh; set +eu; ` + useModules
		modulesWork(t, tree.run(t, "nobody", `exec /bin/bash -c '`+script+`' /shared/gym-otelcol `+newer))
		want(t, tree.run(t, "nobody", "set +eu; . /etc/profile.d/lmod.sh\n"+documented), thisVersion+" (")
	})
}

// useModules is called with the prefix as $0 and the version that is not current as $1.
const useModules = `module use "$0/modulefiles" && module avail gym-otelcol 2>&1; module load gym-otelcol && command -v gym-submit && gym-submit --version &&
	module unload gym-otelcol; command -v gym-submit || echo unloaded; module load "gym-otelcol/$1" && gym-submit --version && echo "man: $MANPATH"
	module whatis gym-otelcol 2>&1`

func modulesWork(t *testing.T, out string) {
	t.Helper()
	want(t, out, thisVersion+"/bin/gym-submit\n"+thisVersion+" (", "unloaded\n"+newer+" (", newer+"/share/man", "telemetry for LLM evaluation jobs")
	// An empty element means the system's own pages, which would be gone otherwise.
	if !regexp.MustCompile(`(?m)^man: .*/share/man:(.*:)?$`).MatchString(out) {
		t.Errorf("MANPATH hides the manual pages of the system\n%s", out)
	}
}

// twoVersions installs both and leaves the older one current.
func twoVersions(t *testing.T, prefix string) *site {
	t.Helper()
	s := &site{shell: []string{"sh"}, dir: t.TempDir(), prefix: prefix}
	if err := os.MkdirAll(prefix, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(filepath.Dir(prefix)), filepath.Dir(prefix), prefix} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	s.mustInstall(t, unpack(t, "newer", "amd64"), prefix)
	s.mustInstall(t, unpack(t, "first", "amd64"), prefix)
	return s
}
