// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// inventory is what `gym-otelcol components` prints.
type inventory struct {
	BuildInfo struct {
		Version string `yaml:"version"`
	} `yaml:"buildinfo"`
	Receivers  []listed `yaml:"receivers"`
	Processors []listed `yaml:"processors"`
	Exporters  []listed `yaml:"exporters"`
	Connectors []listed `yaml:"connectors"`
	Extensions []listed `yaml:"extensions"`
	Providers  []listed `yaml:"providers"`
	Converters []listed `yaml:"converters"`
}

type listed struct {
	Name   string `yaml:"name"`
	Scheme string `yaml:"scheme"` // of a provider, instead of the name
	Module string `yaml:"module"` // path, a space, version
}

// TestInventory is the readable list of what this collector can do. It fails when a new
// version of a component renames it (a rendered configuration would name nothing then),
// and when something comes in that nobody asked for.
func TestInventory(t *testing.T) {
	got := readInventory(t)
	for _, kind := range []struct {
		name string
		got  []listed
		want []string
	}{
		{"receivers", got.Receivers, []string{"otlp", "prometheus"}},
		{"processors", got.Processors, []string{"gym", "resource"}},
		{"exporters", got.Exporters, []string{"file", "otlp_http"}},
		{"connectors", got.Connectors, []string{"forward", "journal"}},
		{"extensions", got.Extensions, []string{"answer", "health_check", "prompt"}},
		{"providers", got.Providers, []string{"env", "file", "yaml"}},
		{"converters", got.Converters, nil},
	} {
		if names := namesOf(kind.got); !slices.Equal(names, kind.want) {
			t.Errorf("%s: the collector has %v, this test expects %v", kind.name, names, kind.want)
		}
	}
}

func namesOf(components []listed) []string {
	var names []string
	for _, c := range components {
		names = append(names, c.Name+c.Scheme)
	}
	return names
}

func readInventory(t *testing.T) inventory {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable, "components")
	cmd.Env = append(os.Environ(), roleEnv+"="+roleCollector)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gym-otelcol components: %v", err)
	}
	var list inventory
	if err := yaml.Unmarshal(out, &list); err != nil {
		t.Fatalf("gym-otelcol components printed no YAML: %v\n%s", err, out)
	}
	return list
}
