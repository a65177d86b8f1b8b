// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

func newLogsCommand(e *env) *cobra.Command {
	var (
		follow  bool
		tail    int
		pattern string
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "logs [ID] BENCHMARK [STEP] [-f] [--tail N] [--grep PATTERN] [--json]",
		Short: "Print the logs of a benchmark",
		Long: `Prints the log of one step: job (the batch script), otel_collector, driver, or the name of a
service. Without STEP, prints the logs of all steps merged by the timestamps at the beginning
of the lines, each line prefixed with its step; a line without a timestamp stays with the line
before it. BENCHMARK can be omitted after an ID if the run has only one, and for the newest
run if STEP is omitted too.

--tail counts lines per step. --grep prints only the lines that match a regular expression
(RE2 syntax); combined with --tail, it searches only those last lines. The exit code is 1 if no
line matches. --follow prints lines as they are written. --json prints one object per line,
with the line's own timestamp if it has one.

` + idsHelp,
		Example: `  gym-submit logs gpqa driver -f
  gym-submit logs c0ffee gpqa --tail 20
  gym-submit logs c0ffee gpqa otel_collector
  gym-submit logs gpqa --grep '(?i)error|warn'`,
		Args:              atMost(3),
		ValidArgsFunction: completeSelection(e, true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if tail < joblog.Whole {
				return usageError{errors.New("--tail must not be negative")}
			}
			var grep *regexp.Regexp
			if pattern != "" {
				var err error
				if grep, err = regexp.Compile(pattern); err != nil {
					return usageError{fmt.Errorf("--grep: %w", err)}
				}
			}
			s, err := e.selection(args)
			if err != nil {
				return err
			}
			return logs(cmd.Context(), e, s, logOptions{follow, tail, grep, asJSON})
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new lines until the job has ended")
	cmd.Flags().IntVar(&tail, "tail", joblog.Whole, "print only the last `N` lines; -1 prints all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each line as a JSON object: benchmark, step, time, text")
	cmd.Flags().StringVar(&pattern, "grep", "", "print only lines that match `PATTERN`")
	return cmd
}

// logOptions are what is wanted of the logs.
type logOptions struct {
	follow bool
	tail   int
	grep   *regexp.Regexp // nil: every line
	json   bool
}

func logs(ctx context.Context, e *env, s history.Selection, o logOptions) error {
	b := s.Benchmark
	if b == nil {
		if len(s.Record.Benchmarks) != 1 {
			return usageError{fmt.Errorf("of which benchmark? %s has %s", s.Record.GymJobID, strings.Join(benchmarksOf(s.Record), ", "))}
		}
		b = &s.Record.Benchmarks[0]
	}
	step := ""
	switch len(s.Rest) {
	case 0:
	case 1:
		step = s.Rest[0]
	default:
		return usageError{fmt.Errorf("logs prints one step or all: %q is one word too many", s.Rest[1])}
	}
	l := &logging{env: e, record: only(s.Record, b.Benchmark), step: step, logOptions: o, out: bufio.NewWriter(e.stdout)}
	printLogs := l.print
	if o.follow {
		printLogs = l.followUp
	}
	if err := printLogs(ctx); err != nil {
		return err
	}
	if o.grep != nil && !l.matched {
		e.talk("no line matches %s", o.grep)
		return exitError{exitFailed}
	}
	return nil
}

// logging prints the logs of one benchmark.
type logging struct {
	*env
	record *run.Record // with this benchmark alone
	step   string
	logOptions
	out     *bufio.Writer
	matched bool
}

func (l *logging) host() host.Host { return l.hostOf(l.record) }

// pace of looking for new lines; another machine is asked less often.
func (l *logging) pace() time.Duration {
	if l.host().Name() != "" {
		return time.Second
	}
	return 200 * time.Millisecond
}

func (l *logging) benchmark() run.BenchmarkRecord { return l.record.Benchmarks[0] }

func (l *logging) print(ctx context.Context) error {
	b := l.benchmark()
	if b.JobID == nil {
		return l.nothing(ctx)
	}
	known, err := joblog.ReadableSteps(ctx, l.host(), b.JobDir, *b.JobID)
	switch {
	case err != nil:
		return err
	case len(known) == 0:
		return l.nothing(ctx)
	case l.step != "" && !slices.Contains(known, l.step):
		return l.unknownStep(known)
	}
	r := l.reader()
	if err := l.copy(ctx, r); err != nil {
		return err
	}
	return l.close(r)
}

// copy prints what is new.
func (l *logging) copy(ctx context.Context, r *joblog.Reader) error {
	return l.flush(r.Copy(ctx))
}

func (l *logging) close(r *joblog.Reader) error { return l.flush(r.Close()) }

// flush keeps the first error: what cannot be written fails here once more.
func (l *logging) flush(err error) error {
	if flushErr := l.out.Flush(); err == nil {
		return flushErr
	}
	return err
}

// nothing says why there is no log.
func (l *logging) nothing(ctx context.Context) error {
	j := observe(ctx, l.env, []*run.Record{l.record})[0].Benchmarks[0]
	return fmt.Errorf("there is no log of %s (%s: %s)", j.Benchmark, j.State, j.Why)
}

func (l *logging) unknownStep(known []string) error {
	return usageError{fmt.Errorf("%s has no log of a step %s; there are: %s", l.benchmark().Benchmark, l.step, strings.Join(known, ", "))}
}

func (l *logging) reader() *joblog.Reader {
	b := l.benchmark()
	return &joblog.Reader{
		Host: l.host(), JobDir: b.JobDir, JobID: *b.JobID, Step: l.step, Tail: l.tail, Lines: l.grep != nil || l.json, Write: l.write,
		Cut: func(step string) { l.talk("the log of %s was truncated; continuing from its new beginning", step) },
	}
}

// write prints a line, behind its step's name when others are printed too.
func (l *logging) write(line joblog.Line) error {
	text := bytes.TrimRight(line.Text, "\r\n")
	if l.grep != nil && !l.grep.Match(text) {
		return nil
	}
	l.matched = true
	switch {
	case l.json:
		return l.writeJSON(line, string(text))
	case l.step == "":
		fmt.Fprintf(l.out, "%-*s | ", len(joblog.Collector), line.Step)
	case l.grep == nil: // as it is
		_, err := l.out.Write(line.Text)
		return err
	}
	_, err := l.out.Write(line.Text)
	if err == nil && !bytes.HasSuffix(line.Text, []byte("\n")) {
		err = l.out.WriteByte('\n')
	}
	return err
}

// logLine is what --json prints.
type logLine struct {
	Benchmark string     `json:"benchmark"`
	Step      string     `json:"step"`
	Time      *time.Time `json:"time"` // null for a line without one
	Text      string     `json:"text"`
}

func (l *logging) writeJSON(line joblog.Line, text string) error {
	object := logLine{Benchmark: l.benchmark().Benchmark, Step: line.Step, Text: text}
	if !line.Time.IsZero() {
		object.Time = &line.Time
	}
	encoder := json.NewEncoder(l.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(object)
}

// followUp prints what is written until the job has ended.
func (l *logging) followUp(ctx context.Context) error {
	if err := l.awaitJob(ctx); err != nil {
		return err
	}
	r := l.reader()
	defer func() { _ = l.close(r) }()
	for said, next := "", time.Now(); ; {
		over := false
		if time.Now().After(next) {
			job, interval := l.look(ctx)
			over = job.Over()
			if text := l.waitsFor(ctx, job, r); text != said {
				if said = text; text != "" {
					l.talk("%s", text)
				}
			}
			next = time.Now().Add(interval)
		}
		if err := l.copy(ctx, r); err != nil { // after the look: what was written before the end is there
			return err
		}
		if over {
			return l.ended(ctx, r)
		}
		if err := sleep(ctx, l.pace()); err != nil {
			return err
		}
	}
}

// waitsFor says why there is nothing to follow, empty when there is.
func (l *logging) waitsFor(ctx context.Context, job status.Job, r *joblog.Reader) string {
	switch {
	case job.State == status.Queued:
		return job.Benchmark + " waits: " + whyOf(job)
	case l.step == "" || r.Read() || job.State != status.Running:
		return ""
	}
	b := l.benchmark()
	return fmt.Sprintf("%s has no log of a step %s yet; there are: %s", b.Benchmark, l.step, strings.Join(joblog.Steps(ctx, l.host(), b.JobDir, *b.JobID), ", "))
}

// look asks how the job is, and says when to ask again: a job whose log has come to its end is
// over in a moment; the scheduler is left alone otherwise.
func (l *logging) look(ctx context.Context) (status.Job, time.Duration) {
	runs, _ := status.Observe(ctx, l.hostOf, l.reload(ctx))
	b := l.benchmark()
	if joblog.Read(ctx, l.host(), b.JobDir, *b.JobID).Code != nil {
		return runs[0].Benchmarks[0], time.Second
	}
	return runs[0].Benchmarks[0], 5 * time.Second
}

func (l *logging) reload(ctx context.Context) []*run.Record {
	l.record = l.freshOf(ctx, l.record)
	return []*run.Record{l.record}
}

// awaitJob waits for a local benchmark's turn: before it there is no job to have logs.
func (l *logging) awaitJob(ctx context.Context) error {
	for l.benchmark().JobID == nil {
		if runs, _ := status.Observe(ctx, l.hostOf, l.reload(ctx)); runs[0].Over() {
			return l.nothing(ctx)
		}
		if err := sleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// ended closes the logs; if nothing was printed, it says why.
func (l *logging) ended(ctx context.Context, r *joblog.Reader) error {
	if r.Read() {
		return l.close(r)
	}
	b := l.benchmark()
	if known := joblog.Steps(ctx, l.host(), b.JobDir, *b.JobID); len(known) > 0 {
		return l.unknownStep(known)
	}
	return l.nothing(ctx)
}
