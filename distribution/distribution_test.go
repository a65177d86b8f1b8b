// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package distribution holds what a site installs. Its tests submit the shipped files the
// way their comments say, up to the point where a cluster is needed.
package distribution

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// shipped says how each file is used. A file that is not here has no test.
var shipped = map[string][]string{
	"site.yaml":    {"site.yaml", "example.yaml"},
	"example.yaml": {"site.yaml", "example.yaml"},
}

func TestShippedFiles(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		composition, ok := shipped[file]
		if !ok {
			t.Errorf("%s is shipped and this test does not know how it is used", file)
			continue
		}
		t.Run(file, func(t *testing.T) {
			plan := load(t, composition, "otel.endpoint=https://otlp.example.com", "otel.service_name=my-eval-service")
			for _, b := range plan.Benchmarks {
				if b.Collector == nil {
					t.Errorf("benchmark %s has no collector", b.Name)
				}
			}
		})
	}
	for file := range shipped {
		if !slices.Contains(files, file) {
			t.Errorf("%s is not there any more", file)
		}
	}
}

// Nobody's token goes anywhere before the site has said where to.
func TestSiteFileAsItIsShipped(t *testing.T) {
	_, err := config.Load(read(t, []string{"site.yaml", "example.yaml"}), nil, config.Options{LookupEnv: lookupEnv})
	for _, key := range []string{"otel.endpoint", "otel.service_name"} {
		if err == nil || !strings.Contains(err.Error(), key+": has no value yet") {
			t.Errorf("without the site's values: %v, want %s to be asked for", err, key)
		}
	}
}

func lookupEnv(name string) (string, bool) { return "token", name == "OTEL_TOKEN" }

func read(t *testing.T, files []string) []config.Source {
	t.Helper()
	var sources []config.Source
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, config.Source{Name: file, Data: data})
	}
	return sources
}

func load(t *testing.T, files []string, overrides ...string) *run.Plan {
	t.Helper()
	opt := config.Options{LookupEnv: lookupEnv}
	cfg, err := config.Load(read(t, files), overrides, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.CheckDestination(opt); err != nil {
		t.Error(err)
	}
	plan, err := run.NewPlan(cfg, "gym-job-20260101T000000Z-0a1b2c", run.Submitter{User: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Benchmarks) == 0 {
		t.Error("nothing to submit")
	}
	return plan
}
