// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// upstreamScript does what upstream's job scripts do for a resumable benchmark: it notes its id,
// queues its successor and starts its steps, and knows no signals.
const upstreamScript = `#!/bin/bash
#SBATCH --job-name=gym-gpqa
#SBATCH --account=eval
#SBATCH --chdir=DIR
#SBATCH --partition=batch
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
echo "$SLURM_JOB_ID" >>.gym_job_chain
sbatch --dependency=afternotok:"$SLURM_JOB_ID" DIR/job.sh "$SLURM_JOB_ID"
srun --overlap --output=logs/policy-"$SLURM_JOB_ID".log sleep 1000 &
srun --overlap --output=logs/driver-"$SLURM_JOB_ID".log bash -c 'echo rollouts; exec sleep 1000'
`

// A run that gym eval submit left running, on real Slurm: told of, read and stopped, with the
// successor that it queued.
func TestRunOfUpstream(t *testing.T) {
	at := newSlurmSite(t)
	f := newFixture(t, at)
	const id = "gym-job-20260102T030405Z-c0ffee"
	run := filepath.Join(f.dir, "runs", id)
	job := filepath.Join(run, "gpqa")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(job, "job.sh"), strings.ReplaceAll(upstreamScript, "DIR", job))
	write(filepath.Join(job, "logs", ".keep"), "")
	first := strings.TrimSpace(at.cluster.Run(t, "sbatch", "--parsable", filepath.Join(job, "job.sh")))
	record := `{"gym_job_id": "` + id + `", "gym_version": "0.7.0", "gym_commit": null, "submitted_at": "2026-01-02T03:04:05Z",
		"run_dir": "` + run + `", "cluster": "testcluster", "executor": "slurm", "submitted_by": "alice", "hostname": null,
		"benchmarks": [{"benchmark": "gpqa", "job_dir": "` + job + `", "job_id": "` + first + `", "error": null}],
		"executor_metadata": {}, "schema_version": 1}`
	write(filepath.Join(run, "gym-job.json"), record)
	write(filepath.Join(f.dir, "cache", "nemo-gym", "jobs", id+".json"), record)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(f.dir, "cache"))

	wait.For(t, time.Minute, func() error {
		if text, _ := os.ReadFile(filepath.Join(job, "logs", "driver-"+first+".log")); string(text) != "rollouts\n" {
			return errors.New("the driver has not begun")
		}
		return nil
	})
	if a := f.ask(t, "list"); !strings.HasPrefix(a.stdout, "ID") || !strings.Contains(a.stdout, id) {
		t.Errorf("list: %+v", a)
	}
	if s := f.status(t); s.State != "running" || s.JobID != first || !strings.Contains(s.Why, "does not say how far it is") {
		t.Errorf("status: %+v", s)
	}
	if a := f.ask(t, "logs", "gpqa", "driver"); a.stdout != "rollouts\n" {
		t.Errorf("logs: %+v", a)
	}
	if a := f.ask(t, "cancel", "--yes"); a.code != 0 || !strings.Contains(a.stderr, "its scripts know no orderly end") {
		t.Errorf("cancel: %+v", a)
	}
	at.idle(t) // the successor is gone too
	if s := f.status(t); s.State != "cancelled" {
		t.Errorf("status after cancel: %+v", s)
	}
}
