// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
)

// endless is a driver that notes when it was stopped.
// The signal goes to the whole step, the shell's child included; the shell's trap runs when the child has ended. It
// starts no program: Slurm may signal the step's processes twice, and the second signal would end it.
const endless = `trap 'echo "$EPOCHREALTIME" >driver-ended' TERM
code=0
driver --engine http://localhost:8000 --model tiny --duration 600s || code=$?
exit $code`

func TestServiceThatDiesWhileStarting(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Engine["ENGINE_START_DELAY"] = "60s"
		f.Engine["ENGINE_EXIT_AFTER"] = "1500ms"
		f.Engine["ENGINE_EXIT_CODE"] = "42"
		r := f.run(t)
		failedBeforeTheDriver(t, f, r, "service policy ended with code 42 before the services were healthy")
		if !strings.Contains(r.log, "dying with code 42") {
			t.Errorf("the end of the service's log is not shown:\n%s", r.log)
		}
	})
}

func TestServiceThatNeverBecomesHealthy(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Engine["ENGINE_NEVER_HEALTHY"] = "1"
		f.Health = 3
		failedBeforeTheDriver(t, f, f.run(t), "service policy was not healthy within 3 s (services.policy.health_check.timeout_seconds)")
	})
}

func TestCollectorThatCannotStart(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		// The program is right when it is asked, and broken when it runs.
		f.Otel["binary"] = `"` + script(t, `case "$1" in components) printf 'processors:\n  - name: gym\n' ;; *) echo "no such luck" >&2; exit 3 ;; esac`) + `"`
		r := f.run(t)
		failedBeforeTheDriver(t, f, r, "the collector ended with code 3 before it was healthy")
		if strings.Contains(r.log, "starting policy") || !strings.Contains(r.log, "no such luck") {
			t.Errorf("want the collector's log and no service:\n%s", r.log)
		}
	})
}

// A login node may not have the binary: then the collector itself is the first to know.
func TestStockCollectorFoundInTheJob(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Otel["binary"] = `"` + script(t, `case "$1" in components) printf 'processors:\n  - name: gym\n' ;; *) echo 'unknown type: "gym" for id: "gym" (valid values: [batch])' >&2; exit 1 ;; esac`) + `"`
	failedBeforeTheDriver(t, f, f.run(t), "otel.binary is not a gym-otelcol")
}

func TestStockCollector(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Otel["binary"] = `"` + script(t, `printf 'processors:\n  - name: batch\n'`) + `"`
	s := f.start(t)
	if code := s.exit(t); code != 2 || !strings.Contains(s.stderr.String(), "otel.binary: ") ||
		!strings.Contains(s.stderr.String(), "gym processor") {
		t.Errorf("exit code %d, want 2 and otel.binary named: %s", code, s.stderr.String())
	}
	nothingStaged(t, f)
}

func failedBeforeTheDriver(t *testing.T, f *fixture, r result, reason string) {
	t.Helper()
	if r.codes["gpqa"] != 1 {
		t.Errorf("exit code %d, want 1", r.codes["gpqa"])
	}
	if !strings.Contains(failureOf(r.log), reason) {
		t.Errorf("the reason is not %q:\n%s", reason, r.log)
	}
	if strings.Contains(r.log, "starting the driver") {
		t.Errorf("the driver was started:\n%s", r.log)
	}
	f.at.idle(t)
}

func TestWalltime(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Walltime = "00:01:00"
		f.Command = endless
		r := f.run(t)
		stoppedInOrder(t, f, r, "the walltime is nearly used up")
	})
}

func TestSignalsToTheScript(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1} {
		t.Run(signal.String(), func(t *testing.T) {
			everySite(t, func(t *testing.T, at site) {
				f := newFixture(t, at)
				f.Command = endless
				s := f.start(t)
				f.awaitLog(t, "starting the driver")
				awaitServed(t, f)
				at.stop(t, s, signal)
				stoppedInOrder(t, f, f.finish(t, s), "stopping the driver")
			})
		})
	}
}

// stoppedInOrder expects driver, collector and services to have ended in this order, and
// the last scrape to have come after the driver's end.
func stoppedInOrder(t *testing.T, f *fixture, r result, reason string) {
	t.Helper()
	if r.codes["gpqa"] != 143 {
		t.Errorf("exit code %d, want the driver's 143", r.codes["gpqa"])
	}
	rest := r.log
	for _, step := range []string{"stopping the driver", "the driver ended with code 143", "stopping the collector", "stopping the services", "ends with code 143"} {
		before, after, found := strings.Cut(rest, step)
		if !found {
			t.Errorf("%q does not follow in the job's log:\n%s", step, r.log)
			return
		}
		_, rest = before, after
	}
	if !strings.Contains(r.log, reason) {
		t.Errorf("the job's log does not say %q:\n%s", reason, r.log)
	}
	finalCountersExact(t, f, r)
	f.at.idle(t)
}

func TestEngineThatDiesUnderTheDriver(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Engine["ENGINE_EXIT_AFTER"] = "4s"
		f.Engine["ENGINE_EXIT_CODE"] = "9"
		f.Command = endless
		r := f.run(t)
		if r.codes["gpqa"] == 0 || !strings.Contains(failureOf(r.log), "service policy ended with code 9 while the driver was running") {
			t.Errorf("exit code %d:\n%s", r.codes["gpqa"], r.log)
		}
		at.idle(t)
	})
}

// A collector that is killed costs the driver nothing, and whoever asks is told at once.
func TestCollectorThatDiesUnderTheDriver(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		release := filepath.Join(f.dir, "release")
		f.Command = "until [ -e " + release + " ]; do sleep 0.1; done"
		s := f.start(t)
		f.awaitLog(t, "starting the driver")
		jobDirs, err := filepath.Glob(filepath.Join(f.dir, "runs", "*", "gpqa"))
		if err != nil || len(jobDirs) != 1 {
			t.Fatalf("job directories %q (%v)", jobDirs, err)
		}
		file, err := delivery.Load(filepath.Join(jobDirs[0], "otel"))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(file.Owner.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		f.awaitLog(t, "WARNING: the collector ended early, with code 137; nothing is recorded any more: see logs/otel_collector-")
		if now := f.status(t); now.State != "running" || !strings.Contains(now.Why, "nothing is recorded any more") || !strings.Contains(now.Next, " gpqa otel_collector") {
			t.Errorf("while the driver goes on: %+v", now)
		}
		writeFile(t, release, "")
		r := f.finish(t, s)
		if r.codes["gpqa"] != 0 || strings.Count(r.log, "ended early") != 1 || !strings.Contains(r.log, "the collector did not end in order") {
			t.Errorf("the job ended with code %d:\n%s", r.codes["gpqa"], r.log)
		}
		at.idle(t)
	})
}
