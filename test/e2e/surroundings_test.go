// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A shell that traces, or that runs a file of the site before every script, must not write
// the token into a log or confuse the health check.
func TestTracingShell(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		profile := filepath.Join(f.dir, "profile")
		if err := os.WriteFile(profile, []byte("echo welcome\nset -x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		f.Env = []string{"BASH_ENV=" + profile, "SHELLOPTS=braceexpand:hashall:interactive-comments:xtrace"}
		r := f.run(t)
		if r.codes["gpqa"] != 7 {
			t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
		}
		noFileHolds(t, f.dir, canary)
	})
}

// The environment of the submitting shell reaches the driver, whatever its variables are
// called, and what belongs to another job or to sbatch's command line does not change the job.
func TestEnvironmentOfTheSubmittingShell(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Env = []string{
			"run_id=exp42", "token=mine", "name=n", "benchmark=b", "failure=f", "services=s", "SECONDS=99999", "GYM_TOKEN_FD=7",
			"SLURM_GPUS=3", "SLURM_NTASKS_PER_TRES=9", "SLURM_GRES=gpu:9", "SLURM_CPU_BIND=cores", "SLURM_JOB_ID=999999",
			"SBATCH_TIMELIMIT=77", "SBATCH_ACCOUNT=other", "SBATCH_JOB_NAME=evil", "SBATCH_WAIT=1", "SBATCH_ARRAY_INX=1-2",
			"SBATCH_SIGNAL=KILL@10", "SBATCH_EXPORT=NONE",
		}
		f.Command = `echo "$run_id $token $name $benchmark $failure $services" >environment; exit 7`
		r := f.run(t)
		if r.codes["gpqa"] != 7 {
			t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
		}
		if got := readFile(t, filepath.Join(r.dir, "environment")); got != "exp42 mine n b f s\n" {
			t.Errorf("the driver sees %q", got)
		}
		if slurm, ok := at.(*slurmSite); ok {
			shown := slurm.cluster.Run(t, "scontrol", "show", "job", r.job)
			for _, want := range []string{"Account=eval", "JobName=gym-gpqa"} {
				if !strings.Contains(shown, want) {
					t.Errorf("the job lacks %s:\n%s", want, shown)
				}
			}
		}
		tenantEverywhere(t, f)
	})
}

// A value that only the file's reader should see must not get into a log when a step is killed.
func TestLiteralsStayOutOfTheLog(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Engine["HF_TOKEN"] = "lit:literal-canary"
	f.Command = "driver --engine http://localhost:8000 --model tiny --duration 600s --ignore-term"
	s := f.start(t)
	f.awaitLog(t, "starting the driver")
	awaitServed(t, f)
	f.at.stop(t, s, syscall.SIGTERM)
	r := f.finish(t, s)
	if r.codes["gpqa"] != 137 {
		t.Errorf("exit code %d, want 137: the driver had to be killed\n%s", r.codes["gpqa"], r.log)
	}
	if strings.Contains(r.log, "literal-canary") {
		t.Errorf("the job's log holds a value of env:\n%s", r.log)
	}
}

// A stranger on the engine's port must not pass for the engine.
func TestStrangerOnTheEnginesPort(t *testing.T) {
	occupy(t, "8000")
	f := newFixture(t, &localSite{})
	failedBeforeTheDriver(t, f, f.run(t), "port 8000 on "+hostName(t)+" is taken by another program: give services.policy.port another number")
}

// When gym-submit itself is killed, or nobody reads its output any more, the job still ends
// in order.
func TestSubmitterThatDies(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Command = endless
	s := f.start(t)
	f.awaitLog(t, "starting the driver")
	awaitServed(t, f)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	f.awaitLog(t, "ends with code 143")
	var r result
	r.dir, r.job = f.record(t)
	finalCountersExact(t, f, r)
	f.at.idle(t)
}

func TestOutputThatNobodyReads(t *testing.T) {
	f := newFixture(t, &localSite{})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := f.startWith(t, w)
	_ = w.Close()
	_ = r.Close()
	if code := s.exit(t); code == 2 {
		t.Fatalf("gym-submit refused")
	}
	f.awaitLog(t, "ends with code 7")
	f.at.idle(t)
}

// A service that dies while another one is awaited is noticed at once.
func TestSecondServiceDiesWhileTheFirstStarts(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Engine["ENGINE_START_DELAY"] = "60s"
	began := time.Now()
	r := f.run(t, "services.judge={type: vllm, model: judge, port: 8001, env: {ENGINE_EXIT_AFTER: 1s, ENGINE_EXIT_CODE: '3'}}",
		"services.policy.health_check.timeout_seconds=100")
	failedBeforeTheDriver(t, f, r, "service judge ended with code 3 before the services were healthy")
	if took := time.Since(began); took > 40*time.Second {
		t.Errorf("it took %v to notice", took)
	}
}
