// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// hookSays runs run_hook of a rendered script, with another time limit, and returns what the
// job's log gets to read.
func hookSays(t *testing.T, hooks config.Hooks, code, limit string) string {
	t.Helper()
	cfg := configOf(values{model: "m", served: "s", container: "i"})
	cfg.Hooks = hooks
	script, err := Render(cfg, Job{RunID: "r", Benchmark: "run", Dir: "/runs/x/run"})
	if err != nil {
		t.Fatal(err)
	}
	hurried := strings.Replace(string(script), "timeout --kill-after=2 15 ", "timeout --kill-after=0.2 "+limit+" ", 1)
	got := stepsOf(t, []byte(hurried), `mkdir logs; say() { said+="$*;"; }; said=; run_hook `+code+`; step "$said$(cat logs/hook-1.log 2>/dev/null)"`)
	return got[len(got)-1]
}

func TestHooks(t *testing.T) {
	hooks := config.Hooks{Done: `echo "$GYM_OUTCOME $GYM_EXIT_CODE $GYM_BENCHMARK $GYM_RUN_ID $GYM_CLUSTER $GYM_BENCH_DIR $SLURM_JOB_ID"`, Failed: "exit 4"}
	if got, want := hookSays(t, hooks, "0", "15"), "running hooks.done;done 0 run r c /runs/x/run 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := hookSays(t, hooks, "7", "15"), "running hooks.failed;WARNING: hooks.failed ended with code 4: see logs/hook-1.log;"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := hookSays(t, config.Hooks{Failed: "exit 4"}, "0", "15"); got != "" {
		t.Errorf("a job that is well, without a hook for it: %q", got)
	}
}

// A hook that neither ends nor heeds TERM costs its own time and no more.
func TestHookThatHangs(t *testing.T) {
	began := time.Now()
	got := hookSays(t, config.Hooks{Done: "trap '' TERM; sleep 60; sleep 60"}, "0", "0.2")
	if !strings.Contains(got, "WARNING: hooks.done took longer than 15 s and was killed") {
		t.Errorf("%q", got)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// The time for a hook is taken from the walltime, not from the collector's.
func TestHooksBeginTheEndEarlier(t *testing.T) {
	cfg := configOf(values{model: "m", served: "s", container: "i", account: "a"})
	for want, hooks := range map[string]config.Hooks{"B:USR1@60": {}, "B:USR1@77": {Done: "true"}} {
		cfg.Hooks = hooks
		script, err := Render(cfg, Job{Benchmark: "run", Dir: "/runs/x/run"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(script), "\n#SBATCH --signal="+want+"\n") {
			t.Errorf("no --signal=%s", want)
		}
	}
}
