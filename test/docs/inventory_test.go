// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notRun are the commands that no test runs, each with the reason. It is to stay short: whatever
// a Debian without network can run is run.
var notRun = []struct{ file, command, reason string }{
	{"docs/admin/install.md", "enroot import -o /shared/images/gym-otelcol-0.1.0.sqsh docker://registry.example.com#gym-otelcol:0.1.0", "Debian has no enroot"},
	{"cmd/gym-otelcol/README.md", "go install go.opentelemetry.io/collector/cmd/builder@v0.161.0", "asks the module proxy each time; .ci/run runs make ocb, with the same ocb"},
	{"cmd/gym-otelcol/README.md", "builder --config my-builder-config.yaml", "fetches the modules of somebody's component; make ocb builds our own manifest in the same way"},
	{"docs/admin/security.md", "grype sbom:/shared/gym-otelcol/current/share/sbom/gym-otelcol-amd64.cdx.json", "Debian has no grype, and its database comes from the Internet"},
}

// Every command in the documentation is run by a test, or by .ci/run, or stands in the list
// above with the reason why not.
func TestEveryCommandIsRun(t *testing.T) {
	takers, gate := taken(t), readGate(t)
	unused := map[int]bool{}
	for i := range notRun {
		unused[i] = true
	}
	existing := map[[2]string]bool{}
	for _, file := range slices.Sorted(maps.Keys(files(t, ".md"))) {
		blocks, err := Blocks(filepath.Join(Root(t), file))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			b.File = file
			if !b.Shell() {
				noCommands(t, b)
				continue
			}
			if b.Words[0] != "sh" || len(b.Words) > 1 && !b.Run() {
				t.Errorf("%s:%d: write ```sh or ```sh run LABEL, and not ```%s", file, b.Line-1, strings.Join(b.Words, " "))
				continue
			}
			commands, err := b.Commands()
			if err != nil {
				t.Errorf("%v; a placeholder is better a variable, \"$RUN\" for instance, which the test sets", err)
				continue
			}
			if b.Run() {
				key := [2]string{file, b.Label()}
				existing[key] = true
				if takers[key] == "" {
					t.Errorf("%s:%d: no test runs this block: call docs.Take(t, %q, %q) in one and run what it returns", file, b.Line, file, b.Label())
				}
				continue
			}
			for _, c := range commands {
				listed := slices.IndexFunc(notRun, func(n struct{ file, command, reason string }) bool { return n.file == file && n.command == c.Text })
				delete(unused, listed)
				if ran := gate.runs(t, c.Text); !ran && listed < 0 {
					t.Errorf("%s:%d: nothing runs `%s`. Make its block ```sh run LABEL and a test take it with docs.Take(t, %q, LABEL), "+
						"or have .ci/run run it; where neither is possible, list it with the reason in test/docs/inventory_test.go", file, c.Line, c.Text, file)
				} else if ran && listed >= 0 {
					t.Errorf("test/docs/inventory_test.go lists `%s` of %s as not run, and .ci/run runs it: delete the entry", c.Text, file)
				}
			}
		}
	}
	for i := range unused {
		t.Errorf("test/docs/inventory_test.go lists `%s` of %s, which is not there or is run by a test: delete the entry", notRun[i].command, notRun[i].file)
	}
	for key, test := range takers {
		if !existing[key] {
			t.Errorf("%s takes the block ```sh run %s of %s, which is not there", test, key[1], key[0])
		}
	}
}

// commandLine is what a line begins with that somebody is to type. Trees and drawings have other
// characters behind it, and a name in one is followed by several blanks.
var commandLine = regexp.MustCompile(`^(\$ |(gym-submit|gym-otelcol|make|go|sudo|apt-get|apt|dpkg|rpm|podman|skopeo|enroot|module|ssh|sbatch|srun|jq|tar|export|curl) [[:ascii:]]*$)`)

// noCommands fails when a block that says nothing about commands has some.
func noCommands(t *testing.T, b Block) {
	t.Helper()
	if len(b.Words) > 0 || generated(b) {
		return
	}
	for i, line := range strings.Split(b.Text, "\n") {
		if commandLine.MatchString(line) && !strings.Contains(strings.TrimLeft(line, " "), "   ") {
			t.Errorf("%s:%d: `%s` looks like a command: let its block begin with ```sh", b.File, b.Line+i, line)
		}
	}
}

// generated reports whether the block is of the commands' own help: usage lines are no commands,
// and the test of its examples is in cmd/gym-submit.
func generated(b Block) bool { return b.File == "docs/reference/commands.md" }

// The targets of make that the prose names exist.
func TestTargetsExist(t *testing.T) {
	gate := readGate(t)
	target := regexp.MustCompile("`make ([a-z-]+)[` ]")
	found := 0
	for file, path := range files(t, ".md") {
		for i, line := range lines(t, path) {
			for _, m := range target.FindAllStringSubmatch(line, -1) {
				found++
				if _, exists := gate.recipes[m[1]]; !exists {
					t.Errorf("%s:%d: the Makefile has no target %s", file, i+1, m[1])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no target was found")
	}
}
