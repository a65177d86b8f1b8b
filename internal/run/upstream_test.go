// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"os"
	"path/filepath"
	"testing"
)

// upstreamRun is a run's directory as `gym eval submit` leaves it.
func upstreamRun(t *testing.T, script, chain string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	job := filepath.Join(dir, "gpqa")
	if err := os.Mkdir(job, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(job, "job.sh"):  script,
		filepath.Join(job, chainName): chain,
		filepath.Join(dir, "gym-job.json"): `{
  "gym_job_id": "gym-job-20260102T030405Z-c0ffee",
  "gym_version": "0.7.0",
  "gym_commit": "0123456789abcdef0123456789abcdef01234567-dirty",
  "submitted_at": "2026-01-02T03:04:05Z",
  "run_dir": "` + dir + `",
  "cluster": "cluster",
  "executor": "slurm",
  "submitted_by": "alice",
  "benchmarks": [
    {"benchmark": "gpqa", "job_dir": "` + job + `", "job_id": "4711", "error": null},
    {"benchmark": "aime", "job_dir": "` + dir + `/aime", "job_id": null, "error": "sbatch: error: invalid account"}
  ],
  "hostname": null,
  "executor_metadata": {},
  "a_field_of_a_later_version": [1, 2],
  "schema_version": 1
}
`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestUpstreamRecord(t *testing.T) {
	r, err := Open(upstreamRun(t, "#!/bin/bash\n#SBATCH --job-name=gym-gpqa\n", "4711\n4712\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Upstream() {
		t.Error("a run of gym eval submit is taken for one of ours")
	}
	if got := *r.Benchmarks[0].JobID; got != "4712" {
		t.Errorf("the job is %s, want 4712, the last of its chain", got)
	}
	if r.Benchmarks[1].JobID != nil || *r.Benchmarks[1].Error != "sbatch: error: invalid account" {
		t.Errorf("the benchmark that was not queued reads %+v", r.Benchmarks[1])
	}
}

func TestUpstreamIsKnownByItsScript(t *testing.T) {
	ours, err := Open(upstreamRun(t, "#!/bin/bash\n\n# Benchmark gpqa of run x, written by gym-submit 0.1.0.\n", "not an id\n"))
	if err != nil {
		t.Fatal(err)
	}
	if ours.Upstream() {
		t.Error("a run of ours is taken for one of gym eval submit")
	}
	if got := *ours.Benchmarks[0].JobID; got != "4711" {
		t.Errorf("the job is %s, want 4711: the chain names none", got)
	}
	if err := os.Remove(filepath.Join(ours.RunDir, "gpqa", "job.sh")); err != nil {
		t.Fatal(err)
	}
	if ours.Upstream() {
		t.Error("a run without a script is taken for one of gym eval submit")
	}
	listed, err := ReadUpstream(filepath.Join(ours.RunDir, "gym-job.json"))
	if err != nil || !listed.Upstream() {
		t.Errorf("a record of upstream's index is taken for one of ours (%v)", err)
	}
}

func TestUpstreamIndexDir(t *testing.T) {
	for _, c := range []struct{ cache, home, want string }{
		{"/cache", "/home/u", "/cache/nemo-gym/jobs"},
		{"", "/home/u", "/home/u/.cache/nemo-gym/jobs"},
		{"relative", "/home/u", ""},
		{"", "", ""},
	} {
		got := UpstreamIndexDir(func(name string) string {
			return map[string]string{"XDG_CACHE_HOME": c.cache, "HOME": c.home}[name]
		})
		if got != c.want {
			t.Errorf("cache %q, home %q: %q, want %q", c.cache, c.home, got, c.want)
		}
	}
}
