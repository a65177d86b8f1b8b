// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
	"testing"
)

func TestOverrideKeys(t *testing.T) {
	file := []Source{{Name: "run.yaml", Data: []byte("services: {policy: {type: vllm}}\ncompute: {east: {type: slurm, node_pools: {gpu: {}}}}\ndriver: {env: {A: b}, benchmarks: {gpqa: {}, aime: {}}}\n")}}
	keys := OverrideKeys(file)
	for _, want := range []string{"services.policy.model", "compute.east.walltime", "compute.east.node_pools.gpu.nodes", "driver.env.A", "driver.benchmarks.gpqa.command", "otel.endpoint", "hooks.failed"} {
		if !slices.Contains(keys, want) {
			t.Errorf("%s is not offered", want)
		}
	}
	// Every key that is offered is one: Load has nothing against its name.
	for _, key := range keys {
		_, err := Load(file, []string{key + "=x"}, Options{})
		if err == nil || strings.Contains(err.Error(), "unknown key") {
			t.Errorf("%s: %v", key, err)
		}
	}
	if got := BenchmarkNames(file); !slices.Equal(got, []string{"gpqa", "aime"}) {
		t.Errorf("benchmarks %v", got)
	}
	// What cannot be read offers what every file has.
	if keys := OverrideKeys([]Source{{Name: "run.yaml", Data: []byte("a: [")}}); !slices.Contains(keys, "otel.endpoint") || slices.Contains(keys, "services.policy.model") {
		t.Errorf("of a broken file: %v", keys)
	}
	if got := BenchmarkNames([]Source{{Name: "run.yaml", Data: []byte("driver: 3\n")}}); got != nil {
		t.Errorf("benchmarks of a broken file: %v", got)
	}
}
