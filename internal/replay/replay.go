// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package replay sends what a job's collector could not deliver: from the files that it left, from the place on
// that delivery.json names, and with the same care. What is sent is noted there, so that a replay can be
// interrupted at any moment and goes on where it was.
package replay

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// Options of a replay. Durations that are zero get a default.
type Options struct {
	Signals  []otlpfile.Signal // empty: all
	All      bool              // what is settled too
	DryRun   bool              // only look
	Talk     func(format string, args ...any)
	Progress func(Progress)

	Timeout  time.Duration // of one request
	Backoff  time.Duration // the first one
	Patience time.Duration // with a backend that takes nothing
}

// Progress of one signal, in items; in bytes while the file is looked at first.
type Progress struct {
	Dir         string
	Signal      otlpfile.Signal
	Reading     bool
	Done, Total int64
}

func (o Options) withDefaults() Options {
	if len(o.Signals) == 0 {
		o.Signals = otlpfile.Signals
	}
	if o.Talk == nil {
		o.Talk = func(string, ...any) {}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	for _, d := range []struct {
		value  *time.Duration
		normal time.Duration
	}{{&o.Timeout, time.Minute}, {&o.Backoff, time.Second}, {&o.Patience, 2 * time.Minute}} {
		if *d.value == 0 {
			*d.value = d.normal
		}
	}
	return o
}

// Run replays the jobs, one after another. What went wrong is in the report.
func Run(ctx context.Context, jobs []Job, opt Options) *Report {
	opt = opt.withDefaults()
	report := &Report{DryRun: opt.DryRun}
	works := make([]*work, len(jobs))
	for i, job := range jobs {
		works[i] = newWork(ctx, job, opt)
		report.Jobs = append(report.Jobs, works[i].report)
	}
	if !opt.DryRun {
		awaitOwners(ctx, works)
	}
	for _, w := range works {
		w.prepare()
	}
	if !opt.DryRun {
		sendAll(works)
	}
	for _, w := range works {
		w.close()
	}
	return report
}

func sendAll(works []*work) {
	stopped := false
	for _, w := range works {
		if stopped = stopped || !w.send(); stopped {
			w.leave()
		}
	}
}

// awaitOwners makes sure that nobody else writes into the directories, all of them at the same time.
func awaitOwners(ctx context.Context, works []*work) {
	var all sync.WaitGroup
	for _, w := range works {
		all.Go(func() {
			if err := awaitDead(ctx, w.job.otel(), w.opt.Talk); err != nil {
				w.fail(err)
			}
		})
	}
	all.Wait()
}

var errInterrupted = errors.New("interrupted; called again (without --all) it goes on from here")
