// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"slices"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// follow takes the job that waits or runs for a benchmark of `gym eval submit`: a resumable one
// queues its successor itself, in the same directory, and no record knows.
func follow(ctx context.Context, records []*run.Record) (followed []*run.Record) {
	if !slices.ContainsFunc(records, mayBeFollowed) {
		return records
	}
	mine, err := slurm.Mine(ctx, host.Local{})
	if err != nil {
		return records // what follows asks again, and says so
	}
	for _, r := range records {
		if mayBeFollowed(r) {
			r = successors(r, mine)
		}
		followed = append(followed, r)
	}
	return followed
}

func mayBeFollowed(r *run.Record) bool { return r.Machine() == "" && r.Upstream() }

// successors is the record with the jobs that are in the queue now; of several in a directory
// the one that runs.
func successors(r *run.Record, mine map[string]slurm.Job) *run.Record {
	now := *r
	now.Benchmarks = slices.Clone(r.Benchmarks)
	for i := range now.Benchmarks {
		b := &now.Benchmarks[i]
		var found slurm.Job
		for _, j := range mine {
			if j.WorkDir == b.JobDir && (found.ID == "" || j.Active()) {
				found = j
			}
		}
		if found.ID != "" {
			b.JobID = &found.ID
		}
	}
	return &now
}
