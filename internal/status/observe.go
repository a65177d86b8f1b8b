// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"fmt"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Observe looks at runs, with one squeue and at most one sacct for all of them. Warnings say
// what could not be asked.
func Observe(ctx context.Context, records []*run.Record) (runs []Run, warnings []string) {
	records = follow(ctx, records)
	schedule, warnings := askSlurm(ctx, slurmJobs(records))
	for _, r := range records {
		var jobs []Job
		for _, b := range r.Benchmarks {
			jobs = append(jobs, withTelemetry(r, b, observe(ctx, schedule, r, b)))
		}
		runs = append(runs, newRun(r, jobs))
	}
	return runs, warnings
}

func observe(ctx context.Context, schedule schedule, r *run.Record, b run.BenchmarkRecord) Job {
	s := subject{r, b}
	switch machine := Elsewhere(r); {
	case b.JobID == nil && b.Error != nil:
		return s.neverBegan()
	case b.ExitCode != nil:
		return s.conclude(evidence{code: b.ExitCode})
	case machine != "":
		return s.job(Unknown, "it is on "+machine+", which can only be asked there", "run gym-submit on "+machine)
	case r.Executor == config.ComputeLocal:
		return s.observeLocal()
	}
	return s.observeSlurm(ctx, schedule)
}

// Elsewhere names the machine that a run belongs to, empty when that is this one.
func Elsewhere(r *run.Record) string {
	if r.Hostname != nil && !host.IsHere(*r.Hostname) {
		return *r.Hostname
	}
	if machine := r.ExecutorMetadata["host"]; r.Executor == config.ComputeLocal && !host.IsHere(machine) {
		return machine
	}
	return ""
}

func slurmJobs(records []*run.Record) []wanted {
	var all []wanted
	for _, r := range records {
		if r.Executor == config.ComputeLocal || Elsewhere(r) != "" {
			continue
		}
		for _, b := range r.Benchmarks {
			if b.JobID != nil {
				all = append(all, wanted{*b.JobID, r.GymJobID})
			}
		}
	}
	return all
}

// subject is the job that is spoken of.
type subject struct {
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
