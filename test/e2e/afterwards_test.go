// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// answer is what a call of gym-submit printed and how it ended.
type answer struct {
	stdout, stderr string
	code           int
}

// command prepares a call of gym-submit by the user who submitted, later and from a shell
// without the token.
func (f *fixture) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(programs, "gym-submit"), args...)
	cmd.Env = append(testEnviron(), "XDG_STATE_HOME="+filepath.Join(f.dir, "state"))
	cmd.Env = append(append(cmd.Env, f.at.environ()...), f.Env...)
	return cmd
}

func (f *fixture) ask(t *testing.T, args ...string) answer {
	t.Helper()
	cmd := f.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	a := answer{stdout: stdout.String(), stderr: stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		a.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return a
}

// state is what status says of a benchmark.
type state struct {
	JobID           string  `json:"job_id"`
	State           string  `json:"state"`
	ExitCode        *int    `json:"exit_code"`
	Why             string  `json:"why"`
	Next            string  `json:"next"`
	SchedulerReason *string `json:"scheduler_reason"`
	Progress        *struct {
		RequestsFinished int64    `json:"requests_finished"`
		TokensPerSecond  *float64 `json:"tokens_per_second"`
	} `json:"progress"`
	Delivery *struct {
		Accepted  int64 `json:"accepted"`
		Delivered int64 `json:"delivered"`
		Ended     bool  `json:"ended"`
	} `json:"delivery"`
}

func (f *fixture) status(t *testing.T) state {
	t.Helper()
	var runs []struct {
		State      string  `json:"state"`
		Benchmarks []state `json:"benchmarks"`
	}
	a := f.ask(t, "status", "--json")
	if err := json.Unmarshal([]byte(a.stdout), &runs); err != nil || len(runs) != 1 || len(runs[0].Benchmarks) != 1 {
		t.Fatalf("status --json: %v\n%s", err, a.stdout)
	}
	if runs[0].State != runs[0].Benchmarks[0].State {
		t.Errorf("the run is %s, its only job %s", runs[0].State, runs[0].Benchmarks[0].State)
	}
	return runs[0].Benchmarks[0]
}

// awaitState waits until status says so.
func (f *fixture) awaitState(t *testing.T, want string) state {
	t.Helper()
	var s state
	wait.For(t, 30*time.Second, func() error {
		if s = f.status(t); s.State != want {
			return fmt.Errorf("it is %s: %s", s.State, s.Why)
		}
		return nil
	})
	return s
}

// A run that ends on its own, looked at while it runs and afterwards.
func TestAfterwardsOfARunThatEnds(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		s := f.start(t)
		f.awaitLog(t, "starting the driver")
		if now := f.status(t); now.State != "running" || now.Why != "the driver runs" || now.ExitCode != nil {
			t.Errorf("while the driver runs: %+v", now)
		}
		if a := f.ask(t, "wait", "--timeout", "100ms"); a.code != 1 || !strings.Contains(a.stderr, "not ended within 100ms: gym-job-") {
			t.Errorf("wait with a short time limit: %+v", a)
		}
		if a := f.ask(t, "wait"); a.code != 7 || !strings.Contains(a.stdout, "the driver ended with code 7") {
			t.Errorf("wait: %+v", a)
		}
		r := f.finish(t, s)
		if r.codes["gpqa"] != 7 {
			t.Errorf("the job ended with code %d", r.codes["gpqa"])
		}
		finished := f.status(t)
		if finished.State != "failed" || finished.ExitCode == nil || *finished.ExitCode != 7 || finished.JobID != r.job {
			t.Errorf("afterwards: %+v", finished)
		}
		filesAreNamed(t, f, r)
		logsArePrinted(t, f, r)
		if a := f.ask(t, "cancel", "--yes"); a.code != 0 || !strings.Contains(a.stderr, "nothing to stop") {
			t.Errorf("cancel of what has ended: %+v", a)
		}
	})
}

func filesAreNamed(t *testing.T, f *fixture, r result) {
	t.Helper()
	id := filepath.Base(filepath.Dir(r.dir))
	if a := f.ask(t, "list"); !strings.Contains(a.stdout, id) || !strings.Contains(a.stdout, "testcluster") {
		t.Errorf("list lacks the run: %s", a.stdout)
	}
	// The beginning of the last six digits is enough.
	a := f.ask(t, "info", id[len(id)-6:len(id)-2], "gpqa", "--json")
	for _, want := range []string{`"job_id": "` + r.job, "otel/metrics.jsonl", "logs/driver-" + r.job + ".log", "logs/policy-" + r.job + ".log"} {
		if !strings.Contains(a.stdout, want) {
			t.Errorf("info lacks %s: %s", want, a.stdout)
		}
	}
}

func logsArePrinted(t *testing.T, f *fixture, r result) {
	t.Helper()
	if a := f.ask(t, "logs", "gpqa", "job"); a.stdout != r.log {
		t.Errorf("logs prints another log than the job's: %q, not %q", a.stdout, r.log)
	}
	last := strings.TrimRight(r.log, "\n")
	last = last[strings.LastIndexByte(last, '\n')+1:] + "\n"
	if a := f.ask(t, "logs", "gpqa", "job", "--tail", "1"); a.stdout != last {
		t.Errorf("the last line is %q, not %q", a.stdout, last)
	}
	if a := f.ask(t, "logs", "gpqa"); !strings.Contains(a.stdout, "\njob            | "+last) || !strings.Contains(a.stdout, "otel_collector | ") {
		t.Errorf("all logs: %s", a.stdout)
	}
	if a := f.ask(t, "logs", "gpqa", "nosuch"); a.code != 2 || !strings.Contains(a.stderr, "there are: job, otel_collector, policy, driver") {
		t.Errorf("a step that is not there: %+v", a)
	}
}

// An orderly cancel loses no counter.
func TestAfterwardsCancel(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Command = endless
		s := f.start(t)
		f.awaitLog(t, "starting the driver")
		awaitServed(t, f)
		followed := f.follow(t)
		if a := f.ask(t, "cancel"); a.code != 2 || !strings.Contains(a.stderr, "say --yes") {
			t.Errorf("a whole run without a terminal: %+v", a)
		}
		a := f.ask(t, "cancel", "--yes")
		if a.code != 0 || strings.Contains(a.stderr, "force") || !strings.Contains(a.stdout, "cancelled by "+currentUser(t)) {
			t.Errorf("cancel: %+v", a)
		}
		if !strings.Contains(a.stderr, "waiting for the end") {
			t.Errorf("cancel does not say what it waits for: %s", a.stderr)
		}
		stoppedInOrder(t, f, f.finish(t, s), "or the run was cancelled")
		if now := f.status(t); now.State != "cancelled" || now.ExitCode == nil || *now.ExitCode != 143 {
			t.Errorf("afterwards: %+v", now)
		}
		if a := f.ask(t, "wait"); a.code != 143 {
			t.Errorf("wait ended with code %d", a.code)
		}
		if text := followed(); !strings.Contains(text, "job            | ") || !strings.Contains(text, "ends with code 143\n") {
			t.Errorf("logs -f printed:\n%s", text)
		}
	})
}

// follow starts logs -f; the result waits for its own end and returns what it printed.
func (f *fixture) follow(t *testing.T) func() string {
	t.Helper()
	cmd := f.command("logs", "gpqa", "-f")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() string {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("logs -f: %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("logs -f does not end with the job")
		}
		return out.String()
	}
}

// What does not stop is ended by force, and nothing of it is left.
func TestAfterwardsCancelByForce(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Command = `trap "" TERM USR1; echo deaf; while :; do sleep 1; done`
		s := f.start(t)
		f.awaitLogOf(t, "driver", "deaf") // before that the step may be killed before it began
		a := f.ask(t, "cancel", "gpqa", "--limit", "1s")
		if a.code != 0 || !strings.Contains(a.stderr, "did not end within 1s") {
			t.Errorf("cancel: %+v", a)
		}
		if now := f.status(t); now.State != "cancelled" {
			t.Errorf("afterwards: %+v", now)
		}
		s.exit(t)
		at.idle(t)
	})
}

// A job that waits says why, and is taken out of the queue.
func TestAfterwardsOfAQueuedJob(t *testing.T) {
	at := newSlurmSite(t)
	f := newFixture(t, at)
	s := f.start(t, "compute.testcluster.extra_args.begin=now+1hour")
	if code := s.exit(t); code != 0 {
		t.Fatalf("submit: %s", s.stderr.String())
	}
	now := f.awaitState(t, "queued")
	if !strings.Contains(now.Why, "begin time has not come") || now.SchedulerReason == nil || *now.SchedulerReason != "BeginTime" {
		t.Errorf("it waits because %q", now.Why)
	}
	if a := f.ask(t, "logs", "gpqa"); a.code != 1 || !strings.Contains(a.stderr, "no log of gpqa (queued: its begin time") {
		t.Errorf("logs of a queued job: %+v", a)
	}
	if a := f.ask(t, "cancel", "gpqa"); a.code != 0 || !strings.Contains(a.stdout, "cancelled by ") {
		t.Errorf("cancel: %+v", a)
	}
	if a := f.ask(t, "wait"); a.code != 1 {
		t.Errorf("wait ended with code %d, want 1 for a job that never ran", a.code)
	}
	at.idle(t)
}

// A job that somebody else ended, with Slurm's own command.
func TestAfterwardsOfAPlainScancel(t *testing.T) {
	at := newSlurmSite(t)
	f := newFixture(t, at)
	f.Command = endless
	s := f.start(t)
	f.awaitLog(t, "policy is healthy")
	for _, id := range at.ids(t, s) {
		at.cluster.Run(t, "scancel", id)
	}
	if a := f.ask(t, "wait"); a.code == 0 || !strings.Contains(a.stdout, "cancelled") {
		t.Errorf("wait: %+v", a)
	}
	at.idle(t)
}

// A local run whose gym-submit is killed ends in order, and says so.
func TestAfterwardsOfALostLocalRun(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Command = endless
	s := f.start(t)
	f.awaitLog(t, "starting the driver")
	awaitServed(t, f)
	_ = s.cmd.Process.Kill()
	s.exit(t)
	if a := f.ask(t, "wait"); a.code != 143 || !strings.Contains(a.stdout, "the gym-submit that ran it ended") {
		t.Errorf("wait: %+v", a)
	}
	if now := f.status(t); now.State != "failed" || now.ExitCode == nil || *now.ExitCode != 143 {
		t.Errorf("afterwards: %+v", now)
	}
	f.at.idle(t)
}
