// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/installation"
	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/submit"
)

// submission is one call of `gym-submit -c FILE`.
type submission struct {
	file                      submitFile
	overrides                 []string
	only                      []string
	dryRun, resolveOnly, json bool
	wait                      bool
	maxParallel               int
}

func (s *submission) run(ctx context.Context, e *env) error {
	s.file.overrides = s.overrides
	cfg, err := s.file.load(e)
	if err != nil {
		return err
	}
	if s.only != nil && len(s.only) == 0 { // an unset variable of a script does not mean all
		return usageError{errors.New("--only names no benchmark")}
	}
	if len(s.only) > 0 {
		if err := cfg.KeepBenchmarks(s.only); err != nil {
			return usageError{fmt.Errorf("--only: %w", err)}
		}
	}
	if err := s.checkLanes(cfg); err != nil {
		return usageError{err}
	}
	// Without a destination there is nothing to look at either; the token can wait.
	if s.resolveOnly || s.dryRun {
		err = cfg.CheckKeys(host.IsHere)
	} else {
		err = cfg.CheckBinary(host.IsHere)
	}
	if err != nil {
		return err
	}
	by := e.submitter()
	h := e.hosts.Of(cfg.Compute[0].Value.Hostname)
	if !s.resolveOnly && !s.dryRun && h.Name() == "" { // they look at no file system
		by.Pin = installation.Pinned
	}
	now := e.now()
	plan, err := run.NewPlan(cfg, e.newID(now), by)
	if err != nil {
		return err
	}
	switch {
	case s.resolveOnly:
		return printResolved(e, plan, s.json)
	case s.dryRun:
		return printStaged(e, plan, s.json)
	}
	warnings, err := submit.Check(ctx, h, cfg, e.options(), by)
	for _, w := range warnings {
		e.talk("warning: %s", w)
	}
	if err != nil {
		return err
	}
	queueing, done := untilInterrupted(ctx)
	defer done()
	if err := plan.Stage(queueing, h); err != nil {
		return err
	}
	record := run.NewRecord(plan, by, now)
	if remote, ok := h.(*host.Remote); ok {
		if node, err := remote.Node(ctx); err == nil {
			record.ExecutorMetadata[run.HostKey] = node
		}
	}
	if cfg.Compute[0].Value.Type == config.ComputeLocal {
		done() // from now on a Ctrl-C is the job's
		return runHere(ctx, e, cfg, record, nil, s.json)
	}
	if s.maxParallel > 0 {
		record.ExecutorMetadata[run.MaxParallelKey] = strconv.Itoa(s.maxParallel)
	}
	submit.NewQueue(h, cfg, submit.NewLanes(s.maxParallel), e.options(), keep(ctx, e, record)).Submit(queueing, record, nil)
	q := queued{record: record, interrupted: queueing.Err() != nil}
	done()
	q.word, q.saveErr = save(ctx, e, record)
	return q.report(ctx, e, s.wait, s.json)
}

// untilInterrupted ends with the first Ctrl-C, so that what is under way is heard and noted. The second one ends the
// program at once. The returned function gives the signals back.
func untilInterrupted(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func (s *submission) checkLanes(cfg *config.Config) error {
	switch {
	case s.maxParallel < 0:
		return errors.New("--max-parallel must not be negative; 0 sets no limit")
	case s.maxParallel > 0:
		return submit.CheckLanes(cfg)
	}
	return nil
}

// queued is what was handed to Slurm.
type queued struct {
	record      *run.Record
	word        string // by which the commands find the run
	saveErr     error
	interrupted bool
}

// report says what was queued, or what became of it in the end.
func (q queued) report(ctx context.Context, e *env, wait, asJSON bool) error {
	if wait && q.saveErr == nil && !q.interrupted {
		e.talk("%s", strings.TrimSpace(recordText(q.record)))
		return waiting{}.run(ctx, e, []*run.Record{q.record}, asJSON)
	}
	if err := printRecord(e, q.record, asJSON); err != nil {
		return err
	}
	if !asJSON {
		e.talk("To see its state: gym-submit status %s", q.word)
	}
	if q.saveErr != nil {
		return fmt.Errorf("%w\nqueued all the same: %s", q.saveErr, q.jobs())
	}
	if failed := q.record.Failed(); len(failed) > 0 {
		e.talk("Not queued, %d of %d: %s\nTheir files remain in %s", len(failed), len(q.record.Benchmarks),
			strings.Join(failed, ", "), q.record.RunDir)
		if q.interrupted {
			e.talk("Interrupted. Jobs already queued stay queued; to cancel them: gym-submit cancel %[1]s\nTo submit the rest: gym-submit resubmit %[1]s --failed",
				q.word)
		}
		return exitError{exitFailed}
	}
	return nil
}

func (q queued) jobs() string {
	var jobs []string
	for _, b := range q.record.Benchmarks {
		if b.JobID != nil {
			jobs = append(jobs, b.Benchmark+"="+*b.JobID)
		}
	}
	return strings.Join(jobs, " ")
}

// runHere continues as the process that runs the jobs, in an environment without the token.
func runHere(ctx context.Context, e *env, cfg *config.Config, record *run.Record, only []string, asJSON bool) error {
	local.Identify(record) // what continues is the same process
	if _, err := save(ctx, e, record); err != nil {
		return err
	}
	program, err := executable()
	if err != nil {
		return fmt.Errorf("find this program's file: %w", err)
	}
	args := []string{"gym-submit", localJobsName, record.RunDir}
	if asJSON {
		args = append(args, "--json")
	}
	if len(only) > 0 {
		args = append(args, "--only", strings.Join(only, ","))
	}
	var token string
	if cfg.CollectorActive() && !cfg.Otel.UsesFile() {
		token = e.getenv(cfg.Otel.TokenEnv)
		args = append(args, "--token")
	}
	if err := local.Continue(program, args, cfg.Otel.TokenEnv, token); err != nil {
		return fmt.Errorf("run the jobs in %s: %w", record.RunDir, err)
	}
	return nil
}

// save keeps the record in the job directory and the index. Trouble with the index is only said, and there is a word
// for the run that works without it.
func save(ctx context.Context, e *env, record *run.Record) (word string, err error) {
	index, _ := run.IndexDir(e.getenv) // without one, Save says so
	indexErr, err := record.Save(ctx, e.hostOf(record), index)
	if indexErr != nil {
		e.talk("warning: %v", indexErr)
		return record.RunDir, err
	}
	return record.GymJobID, err
}

// keep is save while there is more to come: quietly, and without a way to another machine.
func keep(ctx context.Context, e *env, record *run.Record) func() {
	return func() {
		index, _ := run.IndexDir(e.getenv)
		if h := e.hostOf(record); h.Name() == "" {
			_, _ = record.Save(ctx, h, index)
		} else {
			_ = record.SaveIndex(ctx, index)
		}
	}
}
