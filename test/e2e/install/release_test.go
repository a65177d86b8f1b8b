// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

var thisVersion = version.Version

// The same source gives the same bytes, wherever and however often it is built.
func TestReproducible(t *testing.T) {
	first, second := readFile(t, filepath.Join(made, "first", "SHA256SUMS")), readFile(t, filepath.Join(made, "second", "SHA256SUMS"))
	if first != second {
		t.Errorf("built twice, the sums are\n%s\n%s", first, second)
	}
	for _, part := range []string{"linux-amd64.tar.gz", "linux-arm64.tar.gz", "linux-multi.tar.gz", "amd64.deb", "arm64.deb", "x86_64.rpm", "aarch64.rpm"} {
		want(t, first, part)
	}
	checkSums(t, filepath.Join(made, "first"))
}

func TestTarball(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			dir := unpack(t, "first", arch)
			checkSums(t, dir)
			for _, program := range []string{"gym-otelcol", "gym-submit"} {
				file := filepath.Join(dir, "bin", program)
				static(t, file)
				licensed(t, dir, arch, program, file)
			}
			for _, file := range []string{
				"LICENSE", "CHANGELOG.md", "install.sh", "etc/site.yaml", "share/examples/example.yaml", "share/man/man1/gym-submit.1",
				"share/completions/bash/gym-submit", "share/completions/zsh/_gym-submit", "share/completions/fish/gym-submit.fish",
				"share/licenses/std/LICENSE", "share/doc/admin/install.md",
			} {
				if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
					t.Errorf("%s is not there, or empty (%v)", file, err)
				}
			}
			linked(t, dir)
			dashboards, _ := filepath.Glob(filepath.Join(root, "distribution", "dashboards", "*.json"))
			packed, _ := filepath.Glob(filepath.Join(dir, "share", "dashboards", "*.json"))
			if len(packed) != len(dashboards) {
				t.Errorf("%d dashboards are packed of %d", len(packed), len(dashboards))
			}
		})
	}
}

// Both programs say the same version, commit and date, those for another architecture with the
// help of qemu.
func TestVersions(t *testing.T) {
	emulators := map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}
	for arch, emulator := range emulators {
		t.Run(arch, func(t *testing.T) {
			command := []string{emulator}
			if arch == runtime.GOARCH {
				command = []string{"env"}
			}
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("%s is not installed", emulator)
			}
			for _, program := range []string{"gym-otelcol", "gym-submit"} {
				out, err := exec.Command(command[0], filepath.Join(made, "first", "build", arch, program), "--version").CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				want(t, string(out), thisVersion+" (commit "+commit+", "+date, arch)
			}
		})
	}
}

var link = regexp.MustCompile(`\]\(([^)\s#]+)[^)\s]*\)`)

// linked expects that the links of all pages lead to something that was packed.
func linked(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "share/*/*.md", "share/doc/*/*.md"} {
		pages, _ := filepath.Glob(filepath.Join(dir, pattern))
		if len(pages) == 0 {
			t.Errorf("there is no page %s", pattern)
		}
		for _, page := range pages {
			for _, match := range link.FindAllStringSubmatch(readFile(t, page), -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), match[1])); err != nil && !strings.Contains(match[1], "://") {
					t.Errorf("%s has a link to %s: %v", page, match[1], err)
				}
			}
		}
	}
}

// static expects a program without an interpreter, that is without libraries.
func static(t *testing.T, file string) {
	t.Helper()
	program, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, segment := range program.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Errorf("%s is not static", file)
		}
	}
}

// usual are the licences of what is linked. Another one is worth a look.
var usual = map[string]bool{"Apache-2.0": true, "MIT": true, "BSD-3-Clause": true, "BSD-2-Clause": true, "ISC": true, "MPL-2.0": true}

// licensed compares the licence texts and the bill of materials with what the linker wrote into
// the program.
func licensed(t *testing.T, dir, arch, name, file string) {
	t.Helper()
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		Components []struct {
			Name, Version string
			Evidence      struct {
				Licenses []struct{ License struct{ ID string } }
			}
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(dir, "share", "sbom", name+"-"+arch+".cdx.json"))), &bill); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range bill.Components {
		listed[c.Name+" "+c.Version] = true
		if l := c.Evidence.Licenses; len(l) == 0 || !usual[l[0].License.ID] {
			t.Errorf("the licence of %s is %+v", c.Name, l)
		}
	}
	if len(info.Deps) < 5 {
		t.Fatalf("%s was linked with %d modules only", name, len(info.Deps))
	}
	for _, module := range info.Deps {
		if !listed[module.Path+" "+module.Version] {
			t.Errorf("the bill of materials of %s lacks %s %s", name, module.Path, module.Version)
		}
		texts := 0
		_ = filepath.WalkDir(filepath.Join(dir, "share", "licenses", module.Path), func(_ string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				texts++
			}
			return nil
		})
		if texts == 0 {
			t.Errorf("there is no licence text of %s, which is linked into %s", module.Path, name)
		}
	}
}

// unpack unpacks a tarball as tar does it for an ordinary user.
func unpack(t *testing.T, build, what string) string {
	t.Helper()
	dir := t.TempDir()
	if err := shell(`chmod 755 "$1" "$(dirname "$1")" && tar -C "$1" -xz -f "$0"`, release(build, "gym-otelcol-%s-linux-"+what+".tar.gz"), dir); err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "gym-otelcol-*"))
	if len(found) != 1 {
		t.Fatalf("the tarball has %v at its top", found)
	}
	return found[0]
}

func checkSums(t *testing.T, dir string) {
	t.Helper()
	for line := range strings.Lines(readFile(t, filepath.Join(dir, "SHA256SUMS"))) {
		sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(readFile(t, filepath.Join(dir, file))))); got != sum {
			t.Errorf("the sum of %s is %s, want %s", file, got, sum)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
