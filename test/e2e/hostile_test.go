// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Everything that sbatch, srun, a shell or the collector might take for its own has to
// arrive as it was written.
func TestHostileValuesArrive(t *testing.T) {
	const (
		model   = `Org/it's "so" $(date) $HOME; & # größe \`
		value   = "two\nlines $x `y` 'z'"
		comment = `{"team": "it's #1", "path": "C:\\x", "n": [1, 2]}`
	)
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.dir = filepath.Join(f.dir, "it's a $dir #1")
		if err := os.Mkdir(f.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		argv := filepath.Join(t.TempDir(), "argv")
		bin := filepath.Dir(script(t, "exit 1"))
		// A vllm that notes its arguments and environment before it becomes the engine.
		if err := os.WriteFile(filepath.Join(bin, "vllm"), []byte("#!/bin/sh\nprintf '%s\\0' \"$@\" \"$HOSTILE\" >"+argv+
			"\nexec "+programs+"/vllm \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		f.Env = []string{"PATH=" + bin + ":" + testPath()}
		f.Engine["HOSTILE"] = value
		args := []string{
			"services.policy.model=" + asJSON(t, model), "services.policy.served_model_name=null",
			`services.policy.extra_args=--json '{"a": "b c"}' --home $HOME`,
		}
		slurm, onSlurm := at.(*slurmSite)
		if onSlurm {
			args = append(args, "compute.testcluster.extra_args.comment="+asJSON(t, comment))
		}
		f.Command = "driver --engine http://localhost:8000 --model " + "\"$NEMO_GYM_POLICY_MODEL_NAME\"" + " --duration 1s --exit 7"
		r := f.run(t, args...)
		if r.codes["gpqa"] != 7 {
			t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
		}
		got := strings.Split(strings.TrimSuffix(readFile(t, argv), "\x00"), "\x00")
		want := []string{"serve", model, "--port", "8000", "--tensor-parallel-size", "1", "--json", `{"a": "b c"}`, "--home", os.Getenv("HOME"), value}
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("the engine got\n%q, want\n%q", got, want)
		}
		for _, line := range lines(t, r, "metrics") {
			for _, res := range resources(t, line) {
				checkIdentity(t, "metrics.jsonl", res, map[string]string{"model": model}, r.job)
			}
		}
		if onSlurm {
			if shown := slurm.cluster.Run(t, "scontrol", "show", "job", r.job); !strings.Contains(shown, "Comment="+comment) {
				t.Errorf("want Comment=%s:\n%s", comment, shown)
			}
		}
	})
}
