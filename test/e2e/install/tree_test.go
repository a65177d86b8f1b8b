// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packagesOfTree are beyond Debian's minimum: what a Makefile and TLS need for the image's
// builder, and Lmod.
const packagesOfTree = "ca-certificates,make,lmod"

// debian packs a Debian tree without Go. Where debootstrap cannot work the result is an empty
// file and the tests that need it are skipped.
func debian(result string) error {
	if os.Getuid() != 0 {
		return os.WriteFile(result, nil, 0o644)
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		return os.WriteFile(result, nil, 0o644)
	}
	// The suite and the mirror of the machine itself, the first that apt knows; else debootstrap's own.
	return shell(`. /etc/os-release
		mirror=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" "Codename: $VERSION_CODENAME" | head -n 1)
		debootstrap --variant=minbase --include="$1" "$VERSION_CODENAME" "$0.dir" ${mirror:+"$mirror"} >"$0.log" 2>&1 ||
			{ tail -n 20 "$0.log" >&2; exit 1; }
		rm -rf "$0.dir/var/cache/apt/archives/"*.deb "$0.dir/var/lib/apt/lists/"*
		tar -C "$0.dir" -c -f "$0.part" . && rm -rf "$0.dir" && mv "$0.part" "$0"`, result, packagesOfTree)
}

// debianTree is one test's own Debian.
type debianTree struct{ dir string }

func newTree(t *testing.T) debianTree {
	t.Helper()
	tar := filepath.Join(made, "tree.tar")
	if info, err := os.Stat(tar); err != nil || info.Size() == 0 {
		t.Skip("needs root and debootstrap")
	}
	tree := debianTree{filepath.Join(t.TempDir(), "tree")}
	if err := shell(`chmod 755 "$(dirname "$0")" && mkdir "$0" && tar -C "$0" -x -p -f "$1"`, tree.dir, tar); err != nil {
		t.Fatal(err)
	}
	tree.write(t, "/etc/hosts", "127.0.0.1 localhost\n", 0o644) // debootstrap leaves it to whoever names the machine
	return tree
}

// path is a file of the tree as this machine sees it.
func (d debianTree) path(name string) string { return filepath.Join(d.dir, name) }

// put copies a file into the tree.
func (d debianTree) put(t *testing.T, name, source string, mode os.FileMode) {
	t.Helper()
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	d.write(t, name, string(data), mode)
}

func (d debianTree) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// command is a script that runs in the tree as a user, with /proc and /dev mounted for as long
// as it runs.
func (d debianTree) command(user, script string, env ...string) *exec.Cmd {
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-euc",
		`mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot --userspec="$1" "$0" /bin/bash -euc "$2"`, d.dir, user, script)
	cmd.Env = append([]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8"}, env...)
	return cmd
}

// run runs a script that has to succeed, and returns what it said.
func (d debianTree) run(t *testing.T, user, script string, env ...string) string {
	t.Helper()
	out, err := d.command(user, script, env...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func want(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("want %q in\n%s", part, out)
		}
	}
}

// release is the path of a result of a build.
func release(build, what string) string {
	v := thisVersion
	if build == "newer" {
		v = newer
	}
	return filepath.Join(made, build, fmt.Sprintf(what, v))
}
