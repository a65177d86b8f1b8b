// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// askWithToken is ask from a shell that has the token.
func (f *fixture) askWithToken(t *testing.T, args ...string) answer {
	t.Helper()
	f.Env = append(f.Env, "OTEL_TOKEN="+token)
	defer func() { f.Env = f.Env[:len(f.Env)-1] }()
	return f.ask(t, args...)
}

// A job that failed runs again in its directory: under a new id, behind what the first one
// exported, and with the token of the shell that asked for it.
func TestResubmit(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		well := filepath.Join(f.dir, "well")
		f.Command = fmt.Sprintf("driver --engine http://localhost:8000 --model tiny --duration 1s; test -e %s || exit 7", well)
		first := f.run(t)
		if first.codes["gpqa"] != 7 {
			t.Fatalf("the first attempt ended with code %d\n%s", first.codes["gpqa"], first.log)
		}
		if a := f.ask(t, "resubmit", "--failed"); a.code != 2 || !strings.Contains(a.stderr, "OTEL_TOKEN") {
			t.Errorf("without the token: %+v", a)
		}
		if err := os.WriteFile(well, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if a := f.askWithToken(t, "resubmit", "--failed", "--wait"); a.code != 0 {
			t.Fatalf("resubmit: %+v", a)
		}
		dir, job := f.record(t)
		if dir != first.dir || job == first.job {
			t.Errorf("it ran as job %s in %s, before as %s in %s", job, dir, first.job, first.dir)
		}
		if now := f.status(t); now.State != "succeeded" || now.JobID != job {
			t.Errorf("afterwards: %+v", now)
		}
		for _, id := range []string{first.job, job} {
			if got := readFile(t, filepath.Join(dir, "logs", "job-"+id+".log")); !strings.Contains(got, "the backend has all of it") {
				t.Errorf("log of job %s:\n%s", id, got)
			}
			metrics := readFile(t, filepath.Join(dir, "otel", otlpfile.Metrics.FileName()))
			if !strings.Contains(metrics, `{"key":"slurm_job_id","value":{"stringValue":"`+id+`"}}`) {
				t.Errorf("job %s exported nothing", id)
			}
		}
		if a := f.askWithToken(t, "resubmit", "--failed"); a.code != 0 || !strings.Contains(a.stderr, "nothing to resubmit") {
			t.Errorf("once more: %+v", a)
		}
		at.idle(t)
	})
}

// A hook hears of the end of a real job and never sees the token.
func TestHooks(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		r := f.run(t, "hooks.failed=env >heard; exit 3", "hooks.done=touch wrong")
		if r.codes["gpqa"] != 7 {
			t.Errorf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
		}
		heard := readFile(t, filepath.Join(r.dir, "heard"))
		for _, want := range []string{"GYM_OUTCOME=failed\n", "GYM_EXIT_CODE=7\n", "GYM_BENCHMARK=gpqa\n", "GYM_CLUSTER=testcluster\n", "SLURM_JOB_ID=" + r.job + "\n"} {
			if !strings.Contains(heard, want) {
				t.Errorf("the hook lacks %q", want)
			}
		}
		if strings.Contains(heard, canary) {
			t.Error("the hook has the token")
		}
		if _, err := os.Stat(filepath.Join(r.dir, "wrong")); err == nil {
			t.Error("hooks.done ran for a job that failed")
		}
		if !strings.Contains(r.log, "WARNING: hooks.failed ended with code 3") || !strings.HasSuffix(r.log, "ends with code 7\n") {
			t.Errorf("the job's log:\n%s", r.log)
		}
		at.idle(t)
	})
}

// However many benchmarks there are, no more than asked for run at a time, and all of them run.
func TestMaxParallel(t *testing.T) {
	at := newSlurmSite(t)
	f := newFixture(t, at)
	f.NoService = true
	lock := filepath.Join(f.dir, "lock")
	f.Command = fmt.Sprintf("mkdir %s && sleep 1 && rmdir %s", lock, lock) // two at a time fail
	args := []string{"--max-parallel", "1", "--wait", "compute.testcluster.node_pools.gpu.gpus_per_node=1"}
	for i := range 3 {
		args = append(args, fmt.Sprintf("driver.benchmarks.b%d.command=%s", i, f.Command))
	}
	s := f.start(t, args...)
	if code := s.exit(t); code != 0 {
		t.Errorf("it ended with code %d\n%s%s", code, s.stdout.String(), s.stderr.String())
	}
	if got := strings.Count(s.stdout.String(), "succeeded"); got != 5 { // four benchmarks and the run
		t.Errorf("%d succeeded:\n%s", got, s.stdout.String())
	}
	if !strings.Contains(s.stderr.String(), "submitted b2 → Slurm job") {
		t.Errorf("what was queued is not said: %s", s.stderr.String())
	}
	at.idle(t)
}

// While it runs, status says how far the benchmark is, from what its collector writes; at the end, that the
// backend has it all.
func TestStatusOfARunningBenchmark(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Command = endless
		s := f.start(t)
		f.awaitLog(t, "starting the driver")
		awaitServed(t, f)
		wait.For(t, 30*time.Second, func() error {
			now := f.status(t)
			if p := now.Progress; p == nil || p.RequestsFinished == 0 || p.TokensPerSecond == nil || *p.TokensPerSecond <= 0 {
				return fmt.Errorf("progress %+v", p)
			}
			if now.Delivery == nil || now.Delivery.Delivered == 0 {
				return fmt.Errorf("delivery %+v", now.Delivery)
			}
			return nil
		})
		if a := f.ask(t, "status"); !strings.Contains(a.stdout, "the driver runs: requests finished ") || !strings.Contains(a.stdout, " tokens/s at ") {
			t.Errorf("status: %s", a.stdout)
		}
		if a := f.ask(t, "cancel", "--yes"); a.code != 0 || !strings.Contains(a.stdout, "all (") {
			t.Errorf("cancel: %+v", a)
		}
		f.finish(t, s)
		now := f.status(t)
		if d := now.Delivery; d == nil || !d.Ended || d.Delivered != d.Accepted || d.Accepted == 0 || now.Progress != nil {
			t.Errorf("afterwards: %+v, %+v", now.Delivery, now.Progress)
		}
		at.idle(t)
	})
}
