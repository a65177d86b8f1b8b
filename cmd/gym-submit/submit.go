// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
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
}

func (s *submission) run(ctx context.Context, e *env) error {
	s.file.overrides = s.overrides
	cfg, err := s.file.load(e)
	if err != nil {
		return err
	}
	if len(s.only) > 0 {
		if err := cfg.KeepBenchmarks(s.only); err != nil {
			return usageError{fmt.Errorf("--only: %w", err)}
		}
	}
	// Without a destination there is nothing to look at either; the token can wait.
	if s.resolveOnly || s.dryRun {
		if err := cfg.CheckDestinationKeys(); err != nil {
			return err
		}
	}
	by := e.submitter()
	if !s.resolveOnly && !s.dryRun { // they look at no file system
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
	warnings, err := submit.Check(ctx, cfg, e.options(), by)
	for _, w := range warnings {
		e.talk("warning: %s", w)
	}
	if err != nil {
		return err
	}
	if err := plan.Stage(); err != nil {
		return err
	}
	record := run.NewRecord(plan, by, now)
	if cfg.Compute[0].Value.Type == config.ComputeLocal {
		return s.runHere(e, cfg, record)
	}
	submit.Queue(ctx, plan, record)
	return s.report(ctx, e, record)
}

// report keeps the record and says what was queued, or what became of it in the end.
func (s *submission) report(ctx context.Context, e *env, record *run.Record) error {
	if err := save(e, record); err != nil {
		return fmt.Errorf("%w\nqueued all the same: %s", err, queued(record))
	}
	if s.wait {
		e.talk("%s", strings.TrimSpace(recordText(record)))
		return waiting{}.run(ctx, e, []*run.Record{record}, s.json)
	}
	if err := printRecord(e, record, s.json); err != nil {
		return err
	}
	if !s.json {
		e.talk("How it is: gym-submit status %s", record.GymJobID)
	}
	if failed := record.Failed(); len(failed) > 0 {
		e.talk("%d of %d benchmarks were not queued: %s\nThe files stay in %s", len(failed), len(record.Benchmarks),
			strings.Join(failed, ", "), record.RunDir)
		return exitError{exitFailed}
	}
	return nil
}

func queued(record *run.Record) string {
	var jobs []string
	for _, b := range record.Benchmarks {
		if b.JobID != nil {
			jobs = append(jobs, b.Benchmark+"="+*b.JobID)
		}
	}
	return strings.Join(jobs, " ")
}

// runHere continues as the process that runs the jobs, in an environment without the token.
func (s *submission) runHere(e *env, cfg *config.Config, record *run.Record) error {
	if err := save(e, record); err != nil {
		return err
	}
	program, err := executable()
	if err != nil {
		return fmt.Errorf("find this program's file: %w", err)
	}
	args := []string{"gym-submit", localJobsName, record.RunDir}
	if s.json {
		args = append(args, "--json")
	}
	var token string
	if cfg.CollectorActive() {
		token = e.getenv(cfg.Otel.TokenEnv)
		args = append(args, "--token")
	}
	if err := local.Continue(program, args, cfg.Otel.TokenEnv, token); err != nil {
		return fmt.Errorf("run the jobs in %s: %w", record.RunDir, err)
	}
	return nil
}

// save keeps the record in the job directory; trouble with the index is only said.
func save(e *env, record *run.Record) error {
	index, err := run.IndexDir(e.getenv)
	if err != nil {
		e.talk("warning: %v", err)
	}
	indexErr, err := record.Save(index)
	if indexErr != nil {
		e.talk("warning: %v", indexErr)
	}
	return err
}
