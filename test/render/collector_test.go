// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package render checks what gym-submit renders with the collector's own reader.
package render

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/gym-otelcol/gym-otelcol/internal/collector"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

var hostile = []string{
	"plain", "$", "$$", "$$$", "${env:HOME}", "$${env:HOME}", "a$b${file:/etc/hostname}", "${1}", "${", "$HOME",
	"0123", "1e3", "true", "null", "~", "2024-01-01", "1_000", "12:00:00", "a: b", "{a: b}", "[a", "# no comment",
	"- a", "'", `"`, "it's \"so\"", "two\nlines", " blanks ", "\ttab", "größe 漢字", "*alias", "&anchor", "!tag", "|", ">", "%", "@", "`",
	"12345678901234567890", "yes", "on", "<<", "=", "--- a", "\u2028",
}

// FuzzCollector renders arbitrary values and reads the file as the collector does, with its
// expansion of ${…}. Every value has to come out as it went in, as a string.
func FuzzCollector(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text, text)
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, text := range []string{a, b, c} {
			if !utf8.ValidString(text) || text == "" || strings.ContainsFunc(text, unprintable) {
				t.Skip("validation lets no such text through")
			}
		}
		cfg := configOf(a, b, c)
		rendered, err := collector.Render(cfg, collector.Job{RunID: runID, Benchmark: "gpqa", Dir: "/runs/" + b, User: c})
		if err != nil {
			t.Fatal(err)
		}
		read := load(t, string(rendered))
		for key, want := range map[string]string{
			"processors::gym::identity::user":       c,
			"processors::gym::identity::run_id":     runID,
			"processors::gym::identity::cluster":    b,
			"processors::gym::identity::model":      c,
			"processors::gym::identity::benchmark":  "gpqa",
			"processors::gym/ingest::authorization": "token",
			"connectors::journal::directory":        cleaned("/runs/" + b + "/otel"),
		} {
			if got := read.Get(key); got != want {
				t.Errorf("%s reads back as %T %q, want the string %q\n%s", key, got, got, want, rendered)
			}
		}
		if got := routed(t, read); got != a {
			t.Errorf("service.name reads back as %q, want %q", got, a)
		}
		if got := scrapedAs(t, read); got != b+"/policy" {
			t.Errorf("the engine is scraped as %q, want %q", got, b+"/policy")
		}
	})
}

// unprintable is what the validation of submit files refuses in every name.
func unprintable(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

func configOf(a, b, c string) *config.Config {
	return &config.Config{
		Services: config.Map[config.Service]{{Name: "policy", Value: config.Service{Type: config.ServiceVLLM, Model: c, Port: 8000}}},
		Compute:  config.Map[config.Compute]{{Name: b, Value: config.Compute{Type: config.ComputeSlurm}}},
		Driver:   config.Driver{PolicyModel: "policy"},
		Otel: config.Otel{
			Enabled: true, Endpoint: "https://otlp.example.com", ServiceName: a, TokenEnv: "OTEL_TOKEN",
			Component: b, ScrapeIntervalSeconds: 15,
		},
	}
}

// load reads a configuration inside a job.
func load(t *testing.T, text string) *confmap.Conf {
	t.Helper()
	t.Setenv("OTEL_TOKEN", "token")
	t.Setenv("SLURM_JOB_ID", "4711")
	return resolve(t, text)
}

// resolve reads a configuration as the collector does at its start.
func resolve(t *testing.T, text string) *confmap.Conf {
	t.Helper()
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              []string{"yaml:" + text},
		ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), yamlprovider.NewFactory()},
		DefaultScheme:     "env",
	})
	if err != nil {
		t.Fatal(err)
	}
	read, err := resolver.Resolve(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return read
}

func routed(t *testing.T, read *confmap.Conf) any {
	t.Helper()
	actions, ok := read.Get("processors::resource::attributes").([]any)
	if !ok || len(actions) != 3 {
		t.Fatalf("resource actions: %v", read.Get("processors::resource::attributes"))
	}
	return actions[2].(map[string]any)["value"]
}

func scrapedAs(t *testing.T, read *confmap.Conf) any {
	t.Helper()
	jobs, ok := read.Get("receivers::prometheus::config::scrape_configs").([]any)
	if !ok {
		t.Fatal("no scrape_configs")
	}
	static := jobs[0].(map[string]any)["static_configs"].([]any)
	return static[0].(map[string]any)["labels"].(map[string]any)["job"]
}

// cleaned joins as the renderer does.
func cleaned(p string) string { return path.Clean(p) }

// runID is made by gym-submit itself, never by a user.
const runID = "gym-job-20260102T030405Z-c0ffee"
