// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// logsOfAJob are as the programs write them, on a node one hour east of Greenwich.
var logsOfAJob = map[string]string{
	Job: `23:59:58.100 job 7 of r/b begins on n1, 2026-12-31 +0100 CET
23:59:58.200 starting the collector
00:00:01.000 starting the driver
00:00:04.500 the last lines of logs/driver-7.log:
    2026-01-01 00:00:00 an earlier time
00:00:05.000 job 7 of r/b ends with code 1
`,
	Collector: "2026-12-31T22:59:58.300Z\tinfo\tservice@v0.161.0/service.go:1\tStarting\n" +
		"2027-01-01T00:00:04.900+0100\tinfo\tShutdown complete.\n",
	"policy": `INFO 12-31 23:59:59 [api_server.py:1] vLLM
Traceback (most recent call last):
  File "x.py"
(EngineCore_0 pid=42) INFO 01-01 00:00:02 [core.py:7] ready
00:11:22:33:44:55 is no time
INFO 12-31 23:59:59 late
`,
	Driver: `loading
2027-01-01 00:00:03,250 - INFO - begins
75%|#######  | 75/100 [00:12<00:04]
{"ts":"2099-01-01T00:00:00Z","msg":"to come"}
the end`,
}

func writeLogs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	changed := time.Date(2026, 12, 31, 23, 0, 5, 0, time.UTC)
	for step, text := range logsOfAJob {
		write(t, dir, step, text)
		if err := os.Chtimes(Path(dir, step, "7"), changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func merged(t *testing.T, r *Reader) (lines []Line) {
	t.Helper()
	r.Host, r.JobID = host.Local{}, "7"
	r.Write = func(l Line) error {
		l.Text = slices.Clone(l.Text)
		lines = append(lines, l)
		return nil
	}
	if err := r.Copy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestMerge(t *testing.T) {
	var got strings.Builder
	for _, l := range merged(t, &Reader{JobDir: writeLogs(t), Tail: Whole}) {
		at := "-           "
		if !l.Time.IsZero() {
			at = l.Time.UTC().Format("15:04:05.000")
		}
		got.WriteString(at + " " + l.Step + " " + strings.TrimRight(string(l.Text), "\n") + "\n")
	}
	const want = `22:59:58.100 job 23:59:58.100 job 7 of r/b begins on n1, 2026-12-31 +0100 CET
22:59:58.200 job 23:59:58.200 starting the collector
22:59:58.300 otel_collector 2026-12-31T22:59:58.300Z	info	service@v0.161.0/service.go:1	Starting
22:59:59.000 policy INFO 12-31 23:59:59 [api_server.py:1] vLLM
-            policy Traceback (most recent call last):
-            policy   File "x.py"
23:00:01.000 job 00:00:01.000 starting the driver
23:00:02.000 policy (EngineCore_0 pid=42) INFO 01-01 00:00:02 [core.py:7] ready
-            policy 00:11:22:33:44:55 is no time
22:59:59.000 policy INFO 12-31 23:59:59 late
-            driver loading
23:00:03.250 driver 2027-01-01 00:00:03,250 - INFO - begins
-            driver 75%|#######  | 75/100 [00:12<00:04]
23:00:04.500 job 00:00:04.500 the last lines of logs/driver-7.log:
-            job     2026-01-01 00:00:00 an earlier time
23:00:04.900 otel_collector 2027-01-01T00:00:04.900+0100	info	Shutdown complete.
23:00:05.000 job 00:00:05.000 job 7 of r/b ends with code 1
00:00:00.000 driver {"ts":"2099-01-01T00:00:00Z","msg":"to come"}
-            driver the end
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// Of each log the last lines, and those in order.
func TestMergeOfTails(t *testing.T) {
	var got []string
	for _, l := range merged(t, &Reader{JobDir: writeLogs(t), Tail: 1}) {
		got = append(got, l.Step)
	}
	if want := []string{"policy", Collector, Job, Driver}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A single step in lines has its times too.
func TestLinesOfOneStep(t *testing.T) {
	lines := merged(t, &Reader{JobDir: writeLogs(t), Tail: Whole, Step: "policy", Lines: true})
	if len(lines) != 6 || lines[0].Time.Year() != 2026 || lines[3].Time.Year() != 2027 || !lines[1].Time.IsZero() {
		t.Errorf("%v", lines)
	}
}

// Every log comes out whole and in its own order, whatever is in it.
func FuzzMerge(f *testing.F) {
	f.Add(logsOfAJob[Job], logsOfAJob["policy"])
	f.Add("", "\n\n2026-99-99 99:99:99\r\n(")
	f.Add(strings.Repeat("x", 70000), "00:00:00\n\x1b[31m1:2")
	f.Fuzz(func(t *testing.T, job, policy string) {
		dir := t.TempDir()
		write(t, dir, Job, job)
		write(t, dir, "policy", policy)
		got := map[string]*strings.Builder{Job: {}, "policy": {}}
		for _, l := range merged(t, &Reader{JobDir: dir, Tail: Whole}) {
			got[l.Step].Write(l.Text)
		}
		if got[Job].String() != job || got["policy"].String() != policy {
			t.Errorf("got %q and %q, want %q and %q", got[Job], got["policy"], job, policy)
		}
	})
}
