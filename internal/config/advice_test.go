// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"testing"
)

const advised = `
services:
  policy: {type: vllm, container: null, model: m}
compute:
  east: {type: slurm, account: a, walltime: 10, node_pools: {gpu: {partition: batch}}}
driver:
  container: null
  benchmarks: {a: {run: {x: 1}}}
job: {output_path: /runs}
otel: {endpoint: "https://otlp.example.com", service_name: s}
`

func TestAdvice(t *testing.T) {
	second := "driver.benchmarks.b.run.x=1"
	for name, c := range map[string]struct {
		overrides []string
		want      string
	}{
		"nothing to say":                 {nil, ""},
		"several jobs on one node":       {[]string{second}, "driver.benchmarks: each benchmark is a job of its own"},
		"whole nodes":                    {[]string{second, "compute.east.extra_args.exclusive="}, ""},
		"whole nodes of the pool":        {[]string{second, "compute.east.node_pools.gpu.extra_args.exclusive="}, ""},
		"several jobs without collector": {[]string{second, "otel.enabled=false"}, ""},
		"a short walltime":               {[]string{"compute.east.walltime=2"}, "up to two minutes of it are kept"},
		"no limit":                       {[]string{"compute.east.walltime=UNLIMITED"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := Load([]Source{{Name: "run.yaml", Data: []byte(advised)}}, c.overrides, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(cfg.Warnings(), "\n")
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("warnings %q, want %q", got, c.want)
			}
		})
	}
	cfg, err := Load([]Source{{Name: "run.yaml", Data: []byte(strings.Replace(advised, "  policy: {type: vllm, container: null, model: m}", "  {}", 1))}}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(cfg.Warnings(), "\n"); !strings.Contains(got, "the jobs get no collector") {
		t.Errorf("warnings %q, want a word about the missing collector", got)
	}
}
