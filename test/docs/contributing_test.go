// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(data), "\n")
}

// What one exports by hand is what the Makefile exports.
func TestFlags(t *testing.T) {
	script := Text(Take(t, "CONTRIBUTING.md", "flags")) + `printf '%s\n' "CGO_ENABLED=$CGO_ENABLED" "GOFLAGS=$GOFLAGS"`
	out, err := exec.Command("bash", "-euc", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	exported := ""
	for _, line := range lines(t, filepath.Join(Root(t), "Makefile")) {
		if m := regexp.MustCompile(`^export ([A-Z_]+) *:= (.*)`).FindStringSubmatch(line); m != nil {
			exported += m[1] + "=" + m[2] + "\n"
		}
	}
	if string(out) != exported {
		t.Errorf("CONTRIBUTING.md exports\n%s, the Makefile\n%s", out, exported)
	}
}

// The command that moves every module of the collector to its line leaves them there when they
// are on it. It is run on a copy of go.mod, from which it takes what no package needs: there are
// none.
func TestMoving(t *testing.T) {
	root, dir := Root(t), t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	script := Text(Take(t, "CONTRIBUTING.md", "moving"))
	get := func(env ...string) ([]byte, error) {
		cmd := exec.Command("bash", "-euc", script)
		cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOFLAGS=-mod=mod"), env...)
		return cmd.CombinedOutput()
	}
	if _, err := get("GOPROXY=off"); err != nil { // not all is here yet
		if out, err := get(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	moved := 0
	for _, line := range lines(t, filepath.Join(dir, "go.mod")) {
		requirement, _, _ := strings.Cut(strings.TrimSpace(line), " //")
		if !strings.HasPrefix(requirement, "//") && strings.Contains(requirement, "opentelemetry") && strings.Contains(requirement, "collector") {
			moved++
			if !strings.HasSuffix(requirement, " v1.67.0") && !strings.HasSuffix(requirement, " v0.161.0") {
				t.Errorf("%s is off the line", requirement)
			}
		}
	}
	if moved < 20 {
		t.Errorf("go.mod names %d modules of the collector only", moved)
	}
}
