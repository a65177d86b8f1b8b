// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
	"github.com/gym-otelcol/gym-otelcol/internal/submit"
)

// resubmission is one call of resubmit.
type resubmission struct{ failed, wait, json bool }

func newResubmitCommand(e *env) *cobra.Command {
	var r resubmission
	cmd := &cobra.Command{
		Use:   "resubmit [ID] [BENCHMARK] [--failed]",
		Short: "Run a benchmark again, or all that failed",
		Long: `Submits jobs of a run to Slurm again (with compute type local, runs them here again) exactly
as they were staged: the same job.sh in the same directory, under a new job id. Each job id
has its own logs, the exported telemetry is appended to, and the benchmark's files are left as
they are. A named BENCHMARK runs again no matter how it ended, but not while it is queued or
running. --failed selects every benchmark that failed or was refused by sbatch; it skips those
that succeeded, were cancelled, or ended in a way that cannot be determined.

The checks of a submission are repeated, and the token is required again. To change the
configuration, submit a new run instead.

` + idsHelp,
		Example: `  gym-submit resubmit gpqa
  gym-submit resubmit c0ffee gpqa
  gym-submit resubmit c0ffee --failed --wait`,
		Args:              atMost(2),
		ValidArgsFunction: completeSelection(e, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := e.selection(args)
			switch {
			case err != nil:
				return err
			case len(s.Rest) > 0:
				return usageError{fmt.Errorf("resubmit takes one benchmark, or --failed: %q is one word too many", s.Rest[0])}
			case s.Benchmark == nil && !r.failed:
				return usageError{fmt.Errorf("what of %s? Name one of its benchmarks (%s), or say --failed", s.Record.GymJobID, benchmarkNames(s.Record))}
			}
			return r.run(cmd.Context(), e, s)
		},
	}
	cmd.Flags().BoolVar(&r.failed, "failed", false, "run every benchmark that failed or was refused by sbatch")
	cmd.Flags().BoolVar(&r.wait, "wait", false, "wait for these jobs and exit with their result, like gym-submit wait")
	cmd.Flags().BoolVar(&r.json, "json", false, "print the record of these benchmarks as JSON on stdout")
	return cmd
}

func (r resubmission) run(ctx context.Context, e *env, s history.Selection) error {
	if err := here(s.Record, "resubmit"); err != nil {
		return err
	}
	if old := s.Record.MovedFrom; old != "" {
		return fmt.Errorf("%s was moved, and its scripts name the place where it was: move it back to %s, or submit anew", s.Record.GymJobID, old)
	}
	e = e.live()
	h := e.hostOf(s.Record)
	if gone, err := h.Missing(ctx, []string{s.Record.RunDir}, nil); err == nil && len(gone) > 0 {
		return fmt.Errorf("resubmit %s: its directory %s is not there; submit it anew", s.Record.GymJobID, s.Record.RunDir)
	}
	// Two at the same time would queue a benchmark twice, and one of them would forget the other's job ids.
	unlock, err := h.Lock(ctx, filepath.Join(s.Record.RunDir, run.LockName))
	if err != nil {
		return fmt.Errorf("resubmit %s: %w", s.Record.GymJobID, err)
	}
	defer unlock()
	record := e.freshOf(ctx, s.Record)
	now := observe(ctx, e, []*run.Record{record})[0]
	names, unfinished, err := r.targets(s, now)
	if err != nil {
		return err
	}
	unknown := r.unknown(s, now)
	for _, j := range unknown {
		e.talk("%s is skipped because it is unknown whether it failed: %s", j.Benchmark, j.Why)
	}
	if len(names) == 0 {
		return r.nothing(e, record, unknown)
	}
	cfg, err := resolvedConfig(ctx, e, record)
	if err != nil {
		return err
	}
	warnings, err := submit.Check(ctx, h, cfg, e.options(), e.submitter())
	for _, w := range warnings {
		e.talk("warning: %s", w)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		b := history.Benchmark(record, name)
		script := filepath.Join(b.JobDir, run.ScriptName)
		missing, err := h.Missing(ctx, []string{script}, nil)
		if err == nil && len(missing) > 0 {
			err = &fs.PathError{Op: "find", Path: script, Err: fs.ErrNotExist}
		}
		if err != nil {
			return fmt.Errorf("resubmit %s: its job script is gone: %w", name, err)
		}
		b.Again()
	}
	if record.Executor == config.ComputeLocal {
		return runHere(ctx, e, cfg, record, names, r.json)
	}
	most, _ := strconv.Atoi(record.ExecutorMetadata[run.MaxParallelKey]) // 0 without one
	queueing, done := untilInterrupted(ctx)
	defer done()
	submit.NewQueue(h, cfg, submit.NewLanes(most, unfinished...), e.options(), keep(ctx, e, record)).Submit(queueing, record, names)
	q := queued{interrupted: queueing.Err() != nil}
	done()
	q.word, q.saveErr = save(ctx, e, record)
	unlock()
	q.record = only(record, names...)
	return q.report(ctx, e, r.wait, r.json)
}

// targets are the benchmarks to run again, and the ids of the jobs that have not ended.
func (r resubmission) targets(s history.Selection, now status.Run) (names, unfinished []string, err error) {
	for _, j := range now.Benchmarks {
		wanted := s.Benchmark == nil || s.Benchmark.Benchmark == j.Benchmark
		switch {
		case !j.Over():
			if wanted && s.Benchmark != nil {
				return nil, nil, fmt.Errorf("%s has not ended (%s: %s): wait for it, or stop it with gym-submit cancel %s %s",
					j.Benchmark, j.State, j.Why, now.GymJobID, j.Benchmark)
			}
			if j.JobID != nil {
				unfinished = append(unfinished, *j.JobID)
			}
		case wanted && (!r.failed || j.State == status.Failed):
			names = append(names, j.Benchmark)
		}
	}
	if len(names) > 0 && now.Executor == config.ComputeLocal && !now.Over() {
		return nil, nil, fmt.Errorf("%s still runs here (%s): local benchmarks run one after another", now.GymJobID, strings.Join(now.Unfinished(), ", "))
	}
	return names, unfinished, nil
}

// unknown are the benchmarks that --failed means if they failed, which nobody knows.
func (r resubmission) unknown(s history.Selection, now status.Run) []status.Job {
	return slices.DeleteFunc(slices.Clone(now.Benchmarks), func(j status.Job) bool {
		return !r.failed || j.State != status.Unknown || s.Benchmark != nil && s.Benchmark.Benchmark != j.Benchmark
	})
}

// nothing is resubmitted, which is no success while it is not known whether something failed.
func (r resubmission) nothing(e *env, record *run.Record, unknown []status.Job) error {
	e.talk("nothing to resubmit: no benchmark of %s is known to have failed", record.GymJobID)
	if r.json {
		if err := printRecord(e, record, true); err != nil {
			return err
		}
	}
	if len(unknown) > 0 {
		e.talk("To run one anyway, once Slurm answers and no longer knows it: gym-submit resubmit %s %s", record.GymJobID, unknown[0].Benchmark)
		return exitError{exitFailed}
	}
	return nil
}

// resolvedConfig reads what a run was submitted with.
func resolvedConfig(ctx context.Context, e *env, record *run.Record) (*config.Config, error) {
	path := filepath.Join(record.RunDir, run.ResolvedName)
	data, err := host.ReadFile(ctx, e.hostOf(record), path)
	if err != nil {
		return nil, fmt.Errorf("read what the run was submitted with: %w", err)
	}
	cfg, err := config.Load([]config.Source{{Name: path, Data: data}}, nil, e.options())
	if problems, ok := errors.AsType[config.Problems](err); ok {
		return nil, fmt.Errorf("read what the run was submitted with: %w\nSubmit it anew when this gym-submit is another version", problems)
	}
	return cfg, err
}
