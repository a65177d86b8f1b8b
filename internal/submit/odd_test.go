// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

func TestOddDriver(t *testing.T) {
	image, gym, command := "python:3.12", "gym:0.7.0", "true"
	relative := []config.Override{{Key: "output_jsonl_fpath", Value: "artifacts/r.jsonl"}}
	of := func(b config.Benchmark) config.Map[config.Benchmark] {
		return config.Map[config.Benchmark]{{Name: "gpqa", Value: b}}
	}
	for name, c := range map[string]struct {
		driver config.Driver
		want   []string
	}{
		"the default image":   {config.Driver{Container: &image, Benchmarks: of(config.Benchmark{})}, []string{"python:3.12 holds no gym, which benchmark gpqa calls"}},
		"gym is installed":    {config.Driver{Container: &image, GymInstall: &config.GymInstall{}, Benchmarks: of(config.Benchmark{})}, nil},
		"gym is in the image": {config.Driver{Container: &gym, Benchmarks: of(config.Benchmark{})}, nil},
		"no gym is called":    {config.Driver{Container: &image, Benchmarks: of(config.Benchmark{Command: &command})}, nil},
		"on the host":         {config.Driver{Benchmarks: of(config.Benchmark{Run: relative})}, nil},
		"a relative output":   {config.Driver{Container: &gym, Benchmarks: of(config.Benchmark{Run: relative})}, []string{"artifacts/r.jsonl is relative"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := oddDriver(c.driver)
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want %q in it", got[i], want)
				}
			}
		})
	}
}

// Who exports the token a second time hands it to the code of the benchmark.
func TestTwinsOfTheToken(t *testing.T) {
	t.Setenv("OTEL_TOKEN", "canary-4711")
	t.Setenv("TWIN_OF_THE_TOKEN", "canary-4711")
	t.Setenv("HEADERS_OF_OTLP", "Authorization=Bearer canary-4711")
	t.Setenv("SBATCH_COMMENT", "canary-4711") // no job gets it
	cfg := &config.Config{
		Services: config.Map[config.Service]{{Name: "policy", Value: config.Service{Type: config.ServiceVLLM}}},
		Otel:     config.Otel{Enabled: true, TokenEnv: "OTEL_TOKEN"},
	}
	opt := config.Options{LookupEnv: os.LookupEnv}
	if got := (check{host: host.Local{}, cfg: cfg}).twins(t.Context(), opt); !slices.Equal(got, []string{"HEADERS_OF_OTLP", "TWIN_OF_THE_TOKEN"}) {
		t.Errorf("the twins are %q", got)
	}
	cfg.Otel.TokenEnv = "NOT_SET_AT_ALL"
	if got := (check{host: host.Local{}, cfg: cfg}).twins(t.Context(), opt); got != nil {
		t.Errorf("the twins of no token are %q", got)
	}
}
