// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// queueOne submits one job to doubles of sbatch and squeue.
func queueOne(t *testing.T, q Queue, sbatch, squeue string) run.BenchmarkRecord {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{"sbatch": sbatch, "squeue": squeue} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	q.host, q.keep = host.Local{}, func() {}
	record := &run.Record{Benchmarks: []run.BenchmarkRecord{{Benchmark: "gpqa", JobDir: "/runs/r/gpqa"}}}
	q.Submit(t.Context(), record, nil)
	return record.Benchmarks[0]
}

// Where sbatch does not say which job it queued, Slurm is asked for the one of the directory.
func TestUnclearAnswersAreLookedUp(t *testing.T) {
	const (
		knows   = `echo "17|RUNNING|1:00|9:00|N/A|n1|None|/elsewhere"; echo "4711|PENDING|0:00|10:00|N/A||None|/runs/r/gpqa"`
		knowsNo = `echo "17|RUNNING|1:00|9:00|N/A|n1|None|/elsewhere"`
		isDown  = `echo "squeue: error: no contact" >&2; exit 1`
	)
	for _, c := range []struct{ name, sbatch, squeue, id, reason string }{
		{"a plugin's number behind the id", `echo 4711; echo "your balance is 500"`, isDown, "4711", ""},
		{"two ids", "echo 4711; echo 17", knows, "4711", ""},
		{"two ids, and nobody to ask", "echo 4711; echo 17", isDown, "", run.NotKnown},
		{"no id", "echo hello", knows, "4711", ""},
		{"no id, and no job", "echo hello", knowsNo, "", "sbatch printed no job id: hello, and no job of /runs/r/gpqa is in the queue"},
		{"killed", "kill -9 $$", knows, "4711", ""},
		{"an id, and code 1", "echo 4711; exit 1", knows, "4711", ""},
		{"refused", "echo no >&2; exit 1", knows, "", "sbatch ended with code 1: no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := queueOne(t, Queue{}, c.sbatch, c.squeue)
			switch {
			case c.id != "" && (b.JobID == nil || *b.JobID != c.id):
				t.Errorf("the id is %v (%v), want %s", b.JobID, b.Error, c.id)
			case c.id == "" && (b.JobID != nil || !strings.HasPrefix(*b.Error, c.reason)):
				t.Errorf("the reason is %v (%v), want %q", b.Error, b.JobID, c.reason)
			}
		})
	}
}

// What sbatch says goes into the record, and a site's wrapper may show the environment.
func TestARepeatedTokenIsBlanked(t *testing.T) {
	b := queueOne(t, Queue{token: "canary-4711"}, `printf 'no credits: OTEL_TOKEN=canary-4711 \033[31m\377' >&2; exit 1`, "exit 1")
	if want := "sbatch ended with code 1: no credits: OTEL_TOKEN=*********** ?"; *b.Error != want {
		t.Errorf("the reason is %q, want %q", *b.Error, want)
	}
}
