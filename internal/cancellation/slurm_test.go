// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package cancellation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Who ended by force what could not be asked, a suspended job, is noted too.
func TestForcedUnasked(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	doubles(t, dir, map[string]string{
		"squeue":  `[ -e ` + dir + `/asked ] || echo "7|SUSPENDED|0:01|1:00|N/A|n1|None|/runs/gym-job-x/a"`,
		"scancel": `touch ` + dir + `/asked`,
	})
	id := "7"
	c := Cancellation{
		Record: &run.Record{GymJobID: "gym-job-x", Executor: "slurm", Benchmarks: []run.BenchmarkRecord{{Benchmark: "a", JobDir: dir, JobID: &id}}},
		Host:   host.Local{}, Limit: time.Millisecond, By: "alice",
		Reload: func(_ context.Context, r *run.Record) *run.Record { return r },
		Say:    func(string, ...any) {},
	}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if by := joblog.CancelledBy(t.Context(), host.Local{}, dir, id); by != "alice" {
		t.Errorf("cancelled by %q", by)
	}
}

// doubles puts shell scripts in the place of Slurm's commands.
func doubles(t *testing.T, dir string, scripts map[string]string) {
	t.Helper()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// A controller that goes away in the middle is waited for, but not for ever.
func TestControllerGoesAway(t *testing.T) {
	dir := t.TempDir()
	doubles(t, dir, map[string]string{
		"squeue":  `[ ! -e ` + dir + `/asked ] || { echo "Unable to contact slurm controller" >&2; exit 1; }; echo "7|RUNNING|0:01|1:00|N/A|n1|None|/runs/gym-job-x/a"`,
		"scancel": `touch ` + dir + `/asked`,
	})
	defer func(d time.Duration) { patience = d }(patience)
	patience = 500 * time.Millisecond
	id, said := "7", ""
	c := Cancellation{
		Record: &run.Record{GymJobID: "gym-job-x", Executor: "slurm", Benchmarks: []run.BenchmarkRecord{{Benchmark: "a", JobDir: dir, JobID: &id}}},
		Host:   host.Local{}, Limit: Limit,
		Reload: func(_ context.Context, r *run.Record) *run.Record { return r },
		Say:    func(format string, args ...any) { said += fmt.Sprintf(format+"\n", args...) },
	}
	err := c.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "whether it has ended is not known: squeue ended with code 1: Unable to contact") {
		t.Errorf("%v", err)
	}
	if n := strings.Count(said, "Unable to contact"); n != 1 {
		t.Errorf("warned %d times:\n%s", n, said)
	}
}
