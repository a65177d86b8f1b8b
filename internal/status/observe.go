// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"fmt"
	"sync"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// HostOf is where a run is.
type HostOf func(*run.Record) host.Host

// Observe looks at runs, with one squeue and at most one sacct a host for all of them. Warnings
// say what could not be asked.
func Observe(ctx context.Context, hostOf HostOf, records []*run.Record) (runs []Run, warnings []string) {
	records = follow(ctx, records)
	schedules, warnings := askHosts(ctx, hostOf, records)
	jobs := make([][]Job, len(records))
	// A host behind a long line answers many questions in the time of one.
	const atOnce = 32
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, r := range records {
		jobs[i] = make([]Job, len(r.Benchmarks))
		for k, b := range r.Benchmarks {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				h := hostOf(r)
				s := subject{h, r, b}
				jobs[i][k] = s.withTelemetry(ctx, observe(ctx, schedules[h.Name()], s))
			})
		}
	}
	all.Wait()
	for i, r := range records {
		runs = append(runs, newRun(hostOf(r), r, jobs[i]))
	}
	return runs, warnings
}

func observe(ctx context.Context, schedule schedule, s subject) Job {
	b, r := s.BenchmarkRecord, s.record
	switch machine := Elsewhere(r); {
	case b.JobID == nil && b.Error != nil:
		return s.neverBegan()
	case b.ExitCode != nil:
		return s.conclude(ctx, evidence{code: b.ExitCode})
	case machine != "":
		return s.job(Unknown, "it is on "+machine+", which can only be asked there", "run gym-submit on "+machine)
	case r.Executor == config.ComputeLocal:
		return s.observeLocal(ctx)
	}
	return s.observeSlurm(ctx, schedule)
}

// Elsewhere names the machine of a run that can only be asked there, empty when it can be
// asked from here: processes are watched on their own machine alone.
func Elsewhere(r *run.Record) string {
	if r.Executor == config.ComputeLocal {
		return r.Machine()
	}
	return ""
}

// subject is the job that is spoken of.
type subject struct {
	host   host.Host
	record *run.Record
	run.BenchmarkRecord
}

func (s subject) job(state State, why, next string) Job {
	return Job{Benchmark: s.Benchmark, JobID: s.JobID, State: state, Why: why, Next: next}
}

// logs is the command that shows a log of the job.
func (s subject) logs(step string) string {
	return fmt.Sprintf("gym-submit logs %s %s %s", s.record.GymJobID, s.Benchmark, step)
}
