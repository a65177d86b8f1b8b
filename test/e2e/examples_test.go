// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The collector has to accept every configuration that gym-submit renders.
func TestGoldenConfigurationsAreValid(t *testing.T) {
	paths, err := filepath.Glob("../../internal/run/testdata/golden/*/*/otel/collector.yaml")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d golden configurations (%v)", len(paths), err)
	}
	for _, path := range paths {
		cmd := exec.Command(filepath.Join(programs, "gym-otelcol"), "validate", "--config", path)
		cmd.Env = append(os.Environ(), "SLURM_JOB_ID=4711", "OTEL_TOKEN=token", "EVAL_INGEST_TOKEN=token")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

// A job id or token that is missing must not start a collector that sends nonsense.
func TestCollectorRefusesToStartWithout(t *testing.T) {
	path := "../../internal/run/testdata/golden/1-host-processes/gpqa/otel/collector.yaml"
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"a job id":     {[]string{"OTEL_TOKEN=token"}, "slurm_job_id"},
		"a token":      {[]string{"SLURM_JOB_ID=1"}, "authorization"},
		"a real token": {[]string{"SLURM_JOB_ID=1", "OTEL_TOKEN=  "}, "authorization"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(filepath.Join(programs, "gym-otelcol"), "--config", path)
			cmd.Env = c.env
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v, want a failure that names %s:\n%s", err, c.want, out)
			}
		})
	}
}

// Upstream's own files work with nothing but the otel keys added, and without a collector
// with nothing added.
func TestUpstreamExamples(t *testing.T) {
	examples, err := filepath.Glob("../../internal/run/testdata/files/upstream-*.yaml")
	if err != nil || len(examples) != 2 {
		t.Fatalf("want upstream's two examples, found %d (%v)", len(examples), err)
	}
	for _, example := range examples {
		for _, overrides := range [][]string{
			{"otel.enabled=false"},
			{"otel.endpoint=https://otlp.example.com", "otel.service_name=svc", "otel.binary=/shared/gym-otelcol"},
		} {
			for _, look := range [][]string{{"validate"}, {"--resolve-only"}, {"--dry-run"}} {
				cmd := exec.Command(filepath.Join(programs, "gym-submit"), append(append(look, "-c", example), overrides...)...)
				cmd.Env = append(os.Environ(), "TP=4")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s %s %s: %v\n%s", look, example, overrides, err, out)
				}
			}
		}
	}
}
