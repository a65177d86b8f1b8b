// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// write makes a log of job 7 in a job directory.
func write(t *testing.T, dir, step, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(Path(dir, step, "7"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestSteps(t *testing.T) {
	dir := t.TempDir()
	for _, step := range []string{"policy", "driver", "a-b", "job", "otel_collector"} {
		write(t, dir, step, "")
	}
	if err := os.WriteFile(Path(dir, "driver", "77"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := NoteCancelled(t.Context(), host.Local{}, dir, "7", "alice"); err != nil {
		t.Fatal(err)
	}
	if got, want := Steps(t.Context(), host.Local{}, dir, "7"), []string{"job", "otel_collector", "a-b", "policy", "driver"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if by := CancelledBy(t.Context(), host.Local{}, dir, "7") + CancelledBy(t.Context(), host.Local{}, dir, "77"); by != "alice" {
		t.Errorf("cancelled by %q", by)
	}
}

func TestStory(t *testing.T) {
	seven, one := 7, 1
	for text, want := range map[string]Story{
		"": {},
		"10:00:00.000 job 7 of r/b begins on n1\n": {Began: true},
		"10:00:00.000 job 7 of r/b begins on n1\n10:00:01.000 starting the driver\n    10:00:02 FAILED: of a step's log\n": {
			Began: true, Now: "starting the driver",
		},
		"10:00:00 job 7 of r/b begins on n1\n10:00:01 the driver ended with code 7\n10:00:01 job 7 of r/b ends with code 7\n": {
			Began: true, Now: "job 7 of r/b ends with code 7", DriverCode: &seven, Code: &seven,
		},
		"10:00:00.1 FAILED: service policy ended\n10:00:01.1 job 7 of r/b ends with code 1\n": {
			Began: true, Now: "job 7 of r/b ends with code 1", Failed: "service policy ended", Code: &one,
		},
		"10:00:00.1 ERROR: stopped while service policy was starting (USR1: x)\n": {
			Began: true, Now: "ERROR: stopped while service policy was starting (USR1: x)", Stopped: "USR1: x",
		},
		"10:00:00.1 starting the driver\n10:00:00.2 the last lines of logs/driver-7.log:\n    x\n": {
			Began: true, Now: "starting the driver",
		},
		"10:00:00.1 STOPPED before the driver was done: TERM: x\n": {
			Began: true, Now: "STOPPED before the driver was done: TERM: x", Stopped: "TERM: x", CutShort: true,
		},
		"10:00:00.1 starting the driver\n10:00:01.1 WARNING: the collector ended early, with code 137; nothing\n": {
			Began: true, Now: "WARNING: the collector ended early, with code 137; nothing", Unrecorded: true,
		},
		// A requeued job goes on in the same file.
		"10:00:00.1 job 7 of r/b ends with code 143\n10:00:00.1 job 7 of r/b begins on n2\n10:00:01.1 starting policy": {
			Began: true, Now: "starting policy",
		},
		// Slurm's own word, which is not to be had elsewhere once it has forgotten the job.
		"10:00:00.1 job 7 of r/b begins on n1\nslurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:01 ***\n10:00:02.1 job 7 of r/b ends with code 7\n": {
			Began: true, Now: "job 7 of r/b ends with code 7", Code: &seven, Slurm: "CANCELLED",
		},
		"10:00:00.1 job 7 of r/b begins on n1\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:01 DUE TO TIME LIMIT ***\n": {
			Began: true, Slurm: "TIMEOUT",
		},
		"10:00:00.1 job 7 of r/b begins on n1\nslurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:01 DUE TO JOB REQUEUE ***\n10:00:02.1 job 7 of r/b ends with code 7\n": {
			Slurm: Requeued,
		},
		"slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:01 DUE TO JOB REQUEUE ***\n10:00:03.1 job 7 of r/b begins on n1\n": {
			Began: true,
		},
		// In another spelling, with a signal for a reason.
		"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:01 DUE to SIGNAL Terminated ***\n": {Slurm: "CANCELLED"},
		"    slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:01 ***\n":                   {}, // shown of a step's log
	} {
		dir := t.TempDir()
		write(t, dir, Job, strings.Repeat("x", 70000)+"\n"+text) // more than is read
		if got := Read(t.Context(), host.Local{}, dir, "7"); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "driver", "my driver says oom_kill\n")
	if step, found := OutOfMemory(t.Context(), host.Local{}, dir, "7"); found {
		t.Errorf("found in %s", step)
	}
	write(t, dir, "policy", "slurmstepd: error: Detected 1 oom_kill event in StepId=7.1. Some of the step tasks have been OOM Killed.\n")
	if step, found := OutOfMemory(t.Context(), host.Local{}, dir, "7"); !found || step != "policy" {
		t.Errorf("%s, %t", step, found)
	}
}

// copied reads with a Reader; grow is called between two looks.
func copied(t *testing.T, r *Reader, grow func()) string {
	t.Helper()
	var out strings.Builder
	r.Write = func(l Line) error {
		out.WriteString(l.Step + "<" + string(l.Text) + ">")
		return nil
	}
	if err := r.Copy(t.Context()); err != nil {
		t.Fatal(err)
	}
	grow()
	if err := r.Copy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// closed is a machine whose directories nobody may read.
type closed struct{ host.Local }

func (closed) List(_ context.Context, dir string) ([]host.File, error) {
	return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
}

// Logs that may not be read are not the same as none.
func TestLogsNobodyMayRead(t *testing.T) {
	if steps, err := ReadableSteps(t.Context(), closed{}, "/d", "7"); !errors.Is(err, fs.ErrPermission) || len(steps) > 0 {
		t.Errorf("%v, %v", steps, err)
	}
	if steps, err := ReadableSteps(t.Context(), host.Local{}, t.TempDir(), "7"); err != nil || len(steps) > 0 {
		t.Errorf("none yet: %v, %v", steps, err)
	}
	for _, step := range []string{"", Driver} {
		r := &Reader{Host: closed{}, JobDir: "/d", JobID: "7", Step: step, Tail: Whole, Write: func(Line) error { return nil }}
		if err := r.Copy(t.Context()); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("step %q: %v", step, err)
		}
	}
}

// A log that was cut goes on from its new beginning, like tail -f.
func TestReaderOfACutLog(t *testing.T) {
	for step, want := range map[string]string{
		Driver: "driver<one\ntwo>driver<new\n>",
		"":     "driver<one\n>driver<two\n>driver<new\n>",
	} {
		dir := t.TempDir()
		write(t, dir, Driver, "one\ntwo")
		cut := ""
		r := &Reader{Host: host.Local{}, JobDir: dir, JobID: "7", Step: step, Tail: Whole, Cut: func(step string) { cut = step }}
		got := copied(t, r, func() {
			if err := os.WriteFile(Path(dir, Driver, "7"), []byte("new\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		})
		if got != want || cut != Driver {
			t.Errorf("step %q: %q, cut %q", step, got, cut)
		}
	}
}

func TestReader(t *testing.T) {
	for _, c := range []struct {
		step string
		tail int
		want string
	}{
		{"", Whole, "job<a\n>job<b\n>policy<1\n>job<cd\n>driver<new\n>driver<no end>"},
		{"", 1, "policy<1\n>job<cd\n>driver<new\n>driver<no end>"},
		{"", 0, "job<d\n>driver<new\n>driver<no end>"},
		{"job", Whole, "job<a\nb\nc>job<d\n>"},
		{"driver", 0, "driver<new\nno end>"},
		{"nosuch", Whole, ""},
	} {
		dir := t.TempDir()
		write(t, dir, "job", "a\nb\nc")
		write(t, dir, "policy", "1\n")
		got := copied(t, &Reader{Host: host.Local{}, JobDir: dir, JobID: "7", Step: c.step, Tail: c.tail}, func() {
			write(t, dir, "job", "d\n")
			write(t, dir, "driver", "new\nno end")
		})
		if got != c.want {
			t.Errorf("step %q, tail %d: %q, want %q", c.step, c.tail, got, c.want)
		}
	}
}

func TestTailOfAnySize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	long := strings.Repeat("é", 50000)
	for text, want := range map[string]string{
		"":                              "",
		"a":                             "a",
		"a\n":                           "a\n",
		"a\nb\nc\n":                     "b\nc\n",
		"a\nb\nc":                       "b\nc",
		"\n\n\n":                        "\n\n",
		"x\n" + long + "\n" + long:      long + "\n" + long,
		long + "\n" + long + "\nlast\n": long + "\nlast\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		offset, err := lineFromEnd(t.Context(), host.Local{}, path, int64(len(text)), 2)
		if err != nil || text[offset:] != want {
			t.Errorf("%.20q: %.20q (%v), want %.20q", text, text[offset:], err, want)
		}
	}
}
