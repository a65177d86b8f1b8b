// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// The versions of the collector are written down in builder-config.yaml, which ocb and
// other sites read, and in go.mod, which the build reads. ocb copies its own into the
// generated code as text, so the two can drift apart while everything compiles and the
// collector names versions that it does not have. These tests are the gate.

const (
	manifestFile = "../../builder-config.yaml"
	goModFile    = "../../go.mod"

	thisModule    = "github.com/gym-otelcol/gym-otelcol"
	coreModule    = "go.opentelemetry.io/collector"
	contribModule = "github.com/open-telemetry/opentelemetry-collector-contrib"
)

// The one version line. Core releases its stable modules as v1 and the others as v0, and
// contrib follows core's v0. A bump changes these three and nothing else in this file.
const (
	coreStable  = "v1.67.0"
	coreBeta    = "v0.161.0"
	contribBeta = "v0.161.0"
)

type manifest struct {
	Dist struct {
		Version   string `yaml:"version"`
		BuildTags string `yaml:"build_tags"`
	} `yaml:"dist"`
	Receivers  []entry  `yaml:"receivers"`
	Processors []entry  `yaml:"processors"`
	Exporters  []entry  `yaml:"exporters"`
	Connectors []entry  `yaml:"connectors"`
	Extensions []entry  `yaml:"extensions"`
	Providers  []entry  `yaml:"providers"`
	Converters []entry  `yaml:"converters"`
	Replaces   []string `yaml:"replaces"`
	Excludes   []string `yaml:"excludes"`
}

type entry struct {
	GoMod string `yaml:"gomod"` // path, a space, version
}

func (m manifest) entries() []entry {
	return slices.Concat(m.Receivers, m.Processors, m.Exporters, m.Connectors, m.Extensions, m.Providers, m.Converters)
}

// modules maps the path of each module that the manifest names to its version.
func (m manifest) modules() map[string]string {
	modules := make(map[string]string)
	for _, e := range m.entries() {
		path, v, _ := strings.Cut(e.GoMod, " ")
		modules[path] = v
	}
	return modules
}

func TestDriftManifestAgainstGoMod(t *testing.T) {
	required := make(map[string]string)
	for _, r := range readGoMod(t).Require {
		required[r.Mod.Path] = r.Mod.Version
	}
	modules := readManifest(t).modules()
	if len(modules) == 0 {
		t.Fatalf("%s names no component", manifestFile)
	}
	for path, want := range modules {
		if path == thisModule {
			continue // our own components have the version of the tree
		}
		switch got, ok := required[path]; {
		case !ok:
			t.Errorf("%s is in the manifest and not in go.mod: go get %s@%s", path, path, want)
		case got != want:
			t.Errorf("%s is %s in the manifest and %s in go.mod", path, want, got)
		}
	}
}

func TestDriftManifestAgainstBinary(t *testing.T) {
	list := readInventory(t)
	var built, wanted []string
	for _, c := range slices.Concat(
		list.Receivers, list.Processors, list.Exporters, list.Connectors,
		list.Extensions, list.Providers, list.Converters,
	) {
		built = append(built, c.Module)
	}
	for _, e := range readManifest(t).entries() {
		wanted = append(wanted, e.GoMod)
	}
	if missing := without(wanted, built); len(missing) > 0 {
		t.Errorf("in the manifest and not in the generated code: %v: make generate", missing)
	}
	if extra := without(built, wanted); len(extra) > 0 {
		t.Errorf("in the generated code and not in the manifest: %v: make generate", extra)
	}
}

// without returns what is in list and not in others.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// TestDriftOneVersionLine looks at every package that is really compiled in. A mixture
// compiles most of the time and then fails at run time or, worse, counts differently.
func TestDriftOneVersionLine(t *testing.T) {
	seen := 0
	for _, module := range listModules(t) {
		path, got, _ := strings.Cut(module, " ")
		want, ok := wantVersion(path, got)
		if !ok {
			continue
		}
		seen++
		if got != want {
			t.Errorf("%s is %s, the version line says %s", path, got, want)
		}
	}
	if seen < 50 {
		t.Errorf("only %d collector modules in the build list: this test looks at the wrong thing", seen)
	}
}

func wantVersion(path, got string) (string, bool) {
	switch {
	case within(path, coreModule) && strings.HasPrefix(got, "v0."):
		return coreBeta, true
	case within(path, coreModule):
		return coreStable, true
	case within(path, contribModule):
		return contribBeta, true
	}
	return "", false
}

func within(path, module string) bool {
	return path == module || strings.HasPrefix(path, module+"/")
}

func TestDriftVersion(t *testing.T) {
	if got := readManifest(t).Dist.Version; got != version.Version {
		t.Errorf("internal/version/VERSION is %s, dist.version of the manifest is %s", version.Version, got)
	}
	if got := readInventory(t).BuildInfo.Version; got != version.Version {
		t.Errorf("internal/version/VERSION is %s, the generated collector says %s: make generate", version.Version, got)
	}
}

// TestDriftReplaces keeps both lists empty. ocb applies the manifest's and the build
// here applies go.mod's: with an entry in one of them the two build different collectors.
func TestDriftReplaces(t *testing.T) {
	m, mod := readManifest(t), readGoMod(t)
	if len(m.Replaces)+len(m.Excludes) > 0 {
		t.Errorf("the manifest replaces %v and excludes %v", m.Replaces, m.Excludes)
	}
	if len(mod.Replace)+len(mod.Exclude) > 0 {
		t.Errorf("go.mod has %d replace and %d exclude lines", len(mod.Replace), len(mod.Exclude))
	}
}

// TestDriftBuildTags compares the tags of ocb's build with those of this one.
func TestDriftBuildTags(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if tags := "-tags=" + readManifest(t).Dist.BuildTags; !strings.Contains(string(makefile), tags+" ") {
		t.Errorf("the manifest builds with %s, the Makefile does not", tags)
	}
}

func readManifest(t *testing.T) manifest {
	t.Helper()
	content, err := os.ReadFile(manifestFile)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := yaml.Unmarshal(content, &m); err != nil {
		t.Fatalf("%s: %v", manifestFile, err)
	}
	return m
}

func readGoMod(t *testing.T) *modfile.File {
	t.Helper()
	content, err := os.ReadFile(goModFile)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse(goModFile, content, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// listModules returns path and version of each module with a package in the collector.
func listModules(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	return slices.Compact(modules)
}
