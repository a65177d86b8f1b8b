// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gym-otelcol/gym-otelcol/internal/replay"
)

// printReplay says what became of each signal on stdout, and what went wrong on stderr.
func printReplay(e *env, report *replay.Report, asJSON bool) error {
	for _, job := range report.Jobs {
		sayTrouble(e, job)
	}
	if asJSON {
		return printJSON(e, report)
	}
	table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	if report.DryRun {
		fmt.Fprintln(table, "SIGNAL\tTO SEND\tLINES\tBYTES\tSKIPPED LINES\tENDPOINT\tJOB")
	} else {
		fmt.Fprintln(table, "SIGNAL\tSENT\tREJECTED\tSKIPPED LINES\tLEFT\tJOB")
	}
	for _, job := range report.Jobs {
		for _, s := range job.Signals {
			if report.DryRun {
				fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", s.Signal, s.Left, s.Lines, s.Bytes, s.SkippedLines, job.Endpoint, job.Dir)
			} else {
				fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\n", s.Signal, s.Sent, s.Rejected, s.SkippedLines, s.Left, job.Dir)
			}
		}
	}
	return table.Flush()
}

func sayTrouble(e *env, job *replay.JobReport) {
	if job.Error != "" {
		e.talk("%s: %s", job.Dir, job.Error)
	}
	if len(job.Signals) == 0 && job.Error == "" {
		e.talk("%s: no telemetry files", job.Dir)
	}
	for _, s := range job.Signals {
		for _, line := range s.Skipped {
			e.talk("%s/otel/%s: skipped line %d (bytes %d to %d): %s, %s", job.Dir, s.Signal.FileName(), line.Line, line.Start, line.End, line.Kind, line.Reason)
		}
		if more := s.SkippedLines - int64(len(s.Skipped)); more > 0 {
			e.talk("%s/otel/%s: skipped %d more lines", job.Dir, s.Signal.FileName(), more)
		}
		if s.Error != "" {
			e.talk("%s: %s: %d left: %s", job.Dir, s.Signal, s.Left, s.Error)
		}
	}
}

// replayTalk is what a person sees while a replay goes on: one line that changes on a terminal, a line now and then
// elsewhere.
type replayTalk struct {
	out      io.Writer
	terminal bool
	interval time.Duration

	mu    sync.Mutex
	shown time.Time
	open  bool // the terminal's line has no end yet
}

func newReplayTalk(out io.Writer) *replayTalk {
	t := &replayTalk{out: out, interval: 10 * time.Second, shown: time.Now()}
	if file, ok := out.(*os.File); ok {
		_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
		t.terminal = err == nil
	}
	if t.terminal {
		t.interval = time.Second / 4
	}
	return t
}

func (t *replayTalk) progress(p replay.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.shown) < t.interval || p.Total == 0 {
		return
	}
	t.shown = time.Now()
	text := fmt.Sprintf("%s: %s: sent %d of %d (%d%%)", p.Dir, p.Signal, p.Done, p.Total, 100*p.Done/p.Total)
	if p.Reading {
		text = fmt.Sprintf("%s: %s: read %d of %d MB", p.Dir, p.Signal, p.Done>>20, p.Total>>20)
	}
	if t.terminal {
		const erase = "\r\x1b[K"
		fmt.Fprint(t.out, erase, text)
		t.open = true
		return
	}
	fmt.Fprintln(t.out, text)
}

func (t *replayTalk) line(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finish()
	fmt.Fprintf(t.out, format+"\n", args...)
}

func (t *replayTalk) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finish()
}

func (t *replayTalk) finish() {
	if t.open {
		fmt.Fprintln(t.out)
		t.open = false
	}
}
