// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// Two hundred benchmarks, rendered and staged on this machine.
func BenchmarkTwoHundred(b *testing.B) {
	var file strings.Builder
	file.WriteString(`services: {policy: {type: vllm, container: null, model: m}}
compute: {east: {type: slurm, account: a, node_pools: {p: {partition: batch}}}}
job: {output_path: /runs}
otel: {endpoint: "https://otlp.example.org", service_name: s}
driver:
  policy_model: policy
  container: null
  benchmarks:
`)
	for i := range 200 {
		fmt.Fprintf(&file, "    b%d: {run: {split: x}}\n", i)
	}
	for b.Loop() {
		cfg, err := config.Load([]config.Source{{Name: "run.yaml", Data: []byte(file.String())}}, nil, config.Options{})
		if err != nil {
			b.Fatal(err)
		}
		cfg.Job.OutputPath = b.TempDir()
		plan, err := NewPlan(cfg, "gym-job-1", Submitter{User: "alice", Binary: "/opt/gym-otelcol"})
		if err != nil {
			b.Fatal(err)
		}
		if err := plan.Stage(b.Context(), host.Local{}); err != nil {
			b.Fatal(err)
		}
	}
}
