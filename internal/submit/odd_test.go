// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
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
