// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// wantWhole expects an installation that every user can read, with the bytes that were packed.
func (s *site) wantWhole(t *testing.T, version string) {
	t.Helper()
	dir := filepath.Join(s.prefix, version)
	checkSums(t, dir)
	out, err := exec.Command("find", s.prefix, "!", "-type", "l", "!", "-perm", "-444").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("not everybody can read (%v)\n%s", err, out)
	}
	if got := s.current(t); got != version {
		t.Errorf("current is %s", got)
	}
}

// An admin who keeps everybody else out unpacks for everybody nevertheless.
func TestInstallOfAPrivateCopy(t *testing.T) {
	s := newSite(t, []string{"sh"})
	from := unpack(t, "first", "amd64")
	if err := shell(`chmod -R go-rwx "$0"; [ "$(id -u)" != 0 ] || chown -R 65534:65534 "$0"`, from); err != nil {
		t.Fatal(err)
	}
	s.mustInstall(t, from, s.prefix)
	s.wantWhole(t, thisVersion)
}

// The admin's shell searches elsewhere for directories, and sha256sum does not say OK.
func TestInstallInAForeignShell(t *testing.T) {
	s := newSite(t, []string{"sh"})
	from := unpack(t, "first", "amd64")
	locales := t.TempDir()
	if err := shell(`localedef -i fr_FR -f UTF-8 "$0/fr_FR.UTF-8" 2>/dev/null; chmod -R a+rX "$0"; cd "$1"; LOCPATH=$0 LC_ALL=fr_FR.UTF-8 sha256sum -c SHA256SUMS | grep -q Réussi`, locales, from); err != nil {
		t.Skip("needs localedef and a French sha256sum")
	}
	t.Setenv("LOCPATH", locales)
	t.Setenv("LC_ALL", "fr_FR.UTF-8")
	t.Setenv("CDPATH", filepath.Dir(from)) // where cd finds the directory, and says so
	s.dir = filepath.Dir(from)
	s.mustInstall(t, filepath.Base(from), s.prefix)
	s.wantWhole(t, thisVersion)
}

// What a killed call leaves behind is not mixed into the next one, not even with the same
// process id, which a container gives to each.
func TestInstallAfterAKilledOne(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	s := newSite(t, []string{"sh"})
	from, killing := unpack(t, "first", "amd64"), t.TempDir()
	copies := "#!/bin/sh\n/bin/cp \"$@\"\nkill -9 0\n"
	if err := os.WriteFile(filepath.Join(killing, "cp"), []byte(copies), 0o755); err != nil {
		t.Fatal(err)
	}
	install := func(path string) (string, error) {
		cmd := exec.Command("unshare", "--pid", "--fork", "sh", "-c", `setsid sh "$0/install.sh" "$1" & wait $!`, from, s.prefix)
		cmd.Env = append(os.Environ(), "PATH="+path)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := install(killing + ":" + os.Getenv("PATH")); err == nil {
		t.Fatalf("it was not killed\n%s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(s.prefix, ".part.*")); len(left) != 1 {
		t.Fatalf("left behind is %v", left)
	}
	out, err := install(os.Getenv("PATH"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want(t, out, "left by a call that was killed, if no other one is at work: "+s.prefix+"/.part.")
	if left, _ := filepath.Glob(filepath.Join(s.prefix, ".part.*")); len(left) != 1 {
		t.Errorf("after the second call there is %v", left)
	}
	checkSums(t, filepath.Join(s.prefix, thisVersion))
	files, _ := filepath.Glob(filepath.Join(s.prefix, thisVersion, "gym-otelcol-*"))
	if len(files) > 0 {
		t.Errorf("two calls were mixed: %v", files)
	}
}

func TestInstallAtTheSameTime(t *testing.T) {
	s := newSite(t, []string{"sh"})
	from := unpack(t, "first", "amd64")
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if out, code := s.install(t, from, s.prefix); code != 0 {
				t.Errorf("ended with code %d\n%s", code, out)
			}
		})
	}
	all.Wait()
	s.wantWhole(t, thisVersion)
	if left, _ := filepath.Glob(filepath.Join(s.prefix, ".part.*")); len(left) > 0 {
		t.Errorf("left behind is %v", left)
	}
}

// On a full disk there is one line to read, and nothing is left.
func TestInstallOnAFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount a small disk")
	}
	s := newSite(t, []string{"sh"})
	from := unpack(t, "first", "amd64")
	out, err := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c",
		`mount -t tmpfs -o size=20m tmpfs "$1" && sh "$0/install.sh" "$1/gym"; code=$?; ls -A "$1/gym"; exit $code`, from, s.dir).CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 {
		t.Errorf("want an error and one line, got %v\n%s", err, out)
	}
	want(t, string(out), "install.sh: cp: error writing", "No space left on device")
}

// What somebody else put into the prefix stays, and what is in the way is named before
// anything is copied.
func TestInstallRespects(t *testing.T) {
	s := newSite(t, []string{"sh"})
	from := unpack(t, "first", "amd64")
	for _, c := range []struct{ prepare, reason string }{
		{`mkdir -p "$0/current"`, "/current is there and is no symbolic link"},
		{`mkdir -p "$(dirname "$0")"; touch "$0"`, "is there and is no directory"},
		{`mkdir -p "$(dirname "$0")"; ln -s nowhere "$0"`, "is there and is no directory"},
	} {
		if err := shell(c.prepare, s.prefix); err != nil {
			t.Fatal(err)
		}
		s.refuses(t, from, 1, c.reason, s.prefix)
		if err := os.RemoveAll(s.prefix); err != nil {
			t.Fatal(err)
		}
	}

	// The site's file is a link to where it will be mounted.
	if err := shell(`mkdir -p "$0/etc"; ln -s /nowhere/site.yaml "$0/etc/site.yaml"; chmod -R 777 "$0"`, s.prefix); err != nil {
		t.Fatal(err)
	}
	want(t, s.mustInstall(t, from, s.prefix), "kept")
	if target, err := os.Readlink(filepath.Join(s.prefix, "etc", "site.yaml")); err != nil || target != "/nowhere/site.yaml" {
		t.Errorf("etc/site.yaml is %q, %v", target, err)
	}
	if out := s.mustInstall(t, from, s.prefix); !strings.Contains(out, "current is "+thisVersion+"\n") {
		t.Errorf("twice the same\n%s", out)
	}

	// A link that somebody made by hand is as current as one of install.sh.
	if err := shell(`ln -sfn "$0/$1" "$0/current"`, s.prefix, thisVersion); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, from, 1, "is the current version", "--uninstall", thisVersion, s.prefix)
}

// Another build of the version in use takes its place as install.sh says.
func TestInstallAnotherBuild(t *testing.T) {
	s := newSite(t, []string{"sh"})
	s.mustInstall(t, unpack(t, "first", "amd64"), s.prefix)
	other := unpack(t, "first", "multi")
	s.refuses(t, other, 1, "renamed to "+thisVersion+".old", s.prefix)
	if err := os.Rename(filepath.Join(s.prefix, thisVersion), filepath.Join(s.prefix, thisVersion+".old")); err != nil {
		t.Fatal(err)
	}
	s.mustInstall(t, other, s.prefix)
	s.wantWhole(t, thisVersion)
	want(t, s.mustInstall(t, other, "--uninstall", thisVersion+".old", s.prefix), "removed")
	if _, err := os.Stat(filepath.Join(s.prefix, "modulefiles", "gym-otelcol", thisVersion)); err != nil {
		t.Error(err)
	}
}
