// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const imagesFile = "../../internal/run/testdata/files/2-images-and-install.yaml"

// An image without a shell cannot be started by enroot. Neither pyxis nor enroot can be had
// here, so a double of srun says what they say.
func TestImageWithoutAShell(t *testing.T) {
	log := runWithDoubles(t, `echo "enroot-switchroot: failed to execute: /bin/sh: No such file or directory" >&2; exit 1`)
	if reason := failureOf(log); !strings.Contains(reason, "has no shell") || !strings.Contains(reason, "otel.container") {
		t.Errorf("the reason is %q, want the shell and the key named:\n%s", reason, log)
	}
	if strings.Contains(log, "starting policy") || !strings.Contains(log, "ends with code 1") {
		t.Errorf("want the job to end with code 1 before a service starts:\n%s", log)
	}
}

// Steps that run in images get what pyxis needs, and each step overlaps the others: without
// that the second one would wait for the first for ever.
func TestStepsInImages(t *testing.T) {
	argv := filepath.Join(t.TempDir(), "argv")
	runWithDoubles(t, `echo "$*" >>`+argv+`; exit 1`)
	steps := readFile(t, argv)
	for _, want := range []string{
		"--overlap --nodes=1 --ntasks=1 --mem=0 --job-name=otel_collector", "--gres=none --cpus-per-task=1",
		"--no-container-mount-home --container-image=registry.example.com/gym-otelcol:0.1.0",
		"--container-workdir=",
	} {
		if !strings.Contains(steps, want) {
			t.Errorf("no step was started with %q:\n%s", want, steps)
		}
	}
}

// runWithDoubles runs a rendered script outside of Slurm, with a double of srun.
func runWithDoubles(t *testing.T, srun string) (log string) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(filepath.Join(programs, "gym-submit"), "--dry-run", "--json", "-c", imagesFile, "job.output_path="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var staged struct {
		RunDir string            `json:"run_dir"`
		Files  map[string]string `json:"files"`
	}
	if err := json.Unmarshal(out, &staged); err != nil {
		t.Fatal(err)
	}
	bench := filepath.Join(staged.RunDir, "ifbench")
	if err := os.MkdirAll(filepath.Join(bench, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	job := filepath.Join(bench, "job.sh")
	if err := os.WriteFile(job, []byte(staged.Files["ifbench/job.sh"]), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Dir(script(t, srun))
	rename(t, filepath.Join(bin, "program"), filepath.Join(bin, "srun"))
	run := exec.Command("bash", job)
	run.Env = append(testEnviron(), "PATH="+bin+":"+os.Getenv("PATH"), "SLURM_JOB_ID=4711", "OTEL_TOKEN=token")
	said, err := run.CombinedOutput()
	if err == nil {
		t.Errorf("the job ended with code 0:\n%s", said)
	}
	return string(said)
}
