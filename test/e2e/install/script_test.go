// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// shells are those that install.sh has to run under.
var shells = map[string][]string{"dash": {"dash"}, "busybox": {"busybox", "sh"}, "bash": {"bash", "--posix"}}

// site is one PREFIX, installed into by an ordinary user.
type site struct {
	shell  []string
	dir    string
	prefix string
}

func newSite(t *testing.T, shell []string) *site {
	t.Helper()
	if _, err := exec.LookPath(shell[0]); err != nil {
		t.Skipf("%s is not installed", shell[0])
	}
	s := &site{shell: shell, dir: t.TempDir()}
	s.prefix = filepath.Join(s.dir, "shared", "gym")
	for _, dir := range []string{filepath.Dir(s.dir), s.dir} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// install calls install.sh of an unpacked tarball and returns what it said and its exit code.
func (s *site) install(t *testing.T, from string, args ...string) (string, int) {
	t.Helper()
	argv := append(append(append([]string{}, s.shell...), filepath.Join(from, "install.sh")), args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.dir
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if _, exit := err.(*exec.ExitError); err != nil && !exit { //nolint:errorlint // Run returns it as it is
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (s *site) mustInstall(t *testing.T, from string, args ...string) string {
	t.Helper()
	out, code := s.install(t, from, args...)
	if code != 0 {
		t.Fatalf("install.sh %v ended with code %d\n%s", args, code, out)
	}
	return out
}

func (s *site) refuses(t *testing.T, from string, code int, reason string, args ...string) {
	t.Helper()
	before := listing(t, s.dir)
	out, got := s.install(t, from, args...)
	if got != code || !strings.Contains(out, reason) {
		t.Errorf("install.sh %v ended with code %d, want %d and %q\n%s", args, got, code, reason, out)
	}
	if after := listing(t, s.dir); after != before {
		t.Errorf("install.sh %v refused, and changed %d bytes of listing into %d", args, len(before), len(after))
	}
}

func (s *site) current(t *testing.T) string {
	t.Helper()
	target, err := os.Readlink(filepath.Join(s.prefix, "current"))
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// listing names everything below a directory, with inode, size and time of change.
func listing(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("find", dir, "-printf", `%P %i %s %T@ %l\n`).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestInstall(t *testing.T) {
	old, next := unpack(t, "first", "amd64"), unpack(t, "newer", "amd64")
	for name, shell := range shells {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, shell)
			want(t, s.mustInstall(t, old, "--dry-run", s.prefix), "would run: mv -T")
			if _, err := os.Stat(filepath.Dir(s.prefix)); err == nil {
				t.Fatal("--dry-run created something")
			}

			want(t, s.mustInstall(t, old, "shared/gym"), "installed "+s.prefix+"/"+thisVersion, "write your site's values", "current is "+thisVersion)
			siteFile := filepath.Join(s.prefix, "etc", "site.yaml")
			if err := os.WriteFile(siteFile, []byte("otel: {endpoint: https://here}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			versions := listing(t, filepath.Join(s.prefix, thisVersion))
			want(t, s.mustInstall(t, old, s.prefix), "is installed already", "kept")

			want(t, s.mustInstall(t, next, "--no-switch", s.prefix), "current stays "+thisVersion)
			want(t, s.mustInstall(t, next, s.prefix), "current is "+newer+" (was "+thisVersion+")")
			if got := readFile(t, filepath.Join(s.prefix, "current", "etc", "site.yaml")); got != "otel: {endpoint: https://here}\n" {
				t.Errorf("the new version's etc/site.yaml is %q", got)
			}
			if after := listing(t, filepath.Join(s.prefix, thisVersion)); after != versions {
				t.Error("the version before was touched")
			}

			// Back, and forth.
			s.mustInstall(t, filepath.Join(s.prefix, thisVersion), s.prefix)
			if got := s.current(t); got != thisVersion {
				t.Errorf("current is %s after going back", got)
			}
			s.refuses(t, next, 1, thisVersion+" is the current version", "--uninstall", thisVersion, s.prefix)
			want(t, s.mustInstall(t, old, "--dry-run", "--uninstall", newer, s.prefix), "would run")
			want(t, s.mustInstall(t, old, "--uninstall", newer, s.prefix), "removed")
			left, _ := filepath.Glob(filepath.Join(s.prefix, "*"))
			hidden, _ := filepath.Glob(filepath.Join(s.prefix, ".*"))
			if len(left) != 4 || len(hidden) != 0 {
				t.Errorf("left are %v and %v", left, hidden)
			}
			if modules, _ := filepath.Glob(filepath.Join(s.prefix, "modulefiles", "gym-otelcol", "[0-9]*")); len(modules) != 2 {
				t.Errorf("modulefiles are %v, want two of one version", modules)
			}
		})
	}
}

func TestInstallRefuses(t *testing.T) {
	s := newSite(t, []string{"sh"})
	old := unpack(t, "first", "amd64")
	s.refuses(t, old, 2, "name the PREFIX")
	s.refuses(t, old, 2, "there is no option --force", "--force", s.prefix)
	s.refuses(t, old, 2, "is no version", "--uninstall", "../gym", s.prefix)
	s.refuses(t, old, 1, "there is no 1.2.3", "--uninstall", "1.2.3", s.prefix)
	s.mustInstall(t, old, s.prefix)

	other := unpack(t, "first", "multi")
	s.refuses(t, other, 1, "holds another build of "+thisVersion, s.prefix)

	damaged := filepath.Join(other, "share", "examples", "example.yaml")
	if err := os.WriteFile(damaged, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, other, 1, "share/examples/example.yaml: FAILED", s.prefix)
}

// A running program is neither changed nor removed with its version.
func TestUninstallWhileItRuns(t *testing.T) {
	s := newSite(t, []string{"sh"})
	s.mustInstall(t, unpack(t, "first", "amd64"), s.prefix)
	next := unpack(t, "newer", "amd64")
	// The site's name for the prefix is a link, and the collector hides what it was started from.
	link := filepath.Join(s.dir, "link")
	if err := os.Symlink(s.prefix, link); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(filepath.Join(link, thisVersion, "bin", "gym-otelcol"), "--config=yaml:{receivers: {otlp: {protocols: {grpc: {endpoint: 'localhost:0'}}}}, "+
		"exporters: {file: {path: /dev/null}}, service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [file]}}}}")
	if os.Getuid() == 0 {
		program.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
	s.mustInstall(t, next, s.prefix)
	s.refuses(t, next, 1, "is running on this machine", "--uninstall", thisVersion, link)
	if err := program.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the collector is gone: %v", err)
	}
}
