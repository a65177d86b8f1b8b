// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"

	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// NoEstimate is what is said of a queued job that Slurm has no plan for.
const NoEstimate = "Slurm has not planned its start yet"

// EstimateStarts asks Slurm when it means to start the jobs that wait.
func EstimateStarts(ctx context.Context, runs []Run) (warnings []string) {
	var ids []string
	waiting := func(visit func(*Job)) {
		for _, r := range runs {
			for i := range r.Benchmarks {
				if j := &r.Benchmarks[i]; j.State == Queued && j.JobID != nil {
					visit(j)
				}
			}
		}
	}
	waiting(func(j *Job) { ids = append(ids, *j.JobID) })
	starts, err := slurm.Starts(ctx, ids)
	if err != nil {
		return []string{err.Error()}
	}
	waiting(func(j *Job) {
		if start, planned := starts[*j.JobID]; planned {
			j.ExpectedStart, j.ExpectedNodes = start.At, start.Nodes
		} else if j.ExpectedStart == "" {
			j.Why += ". " + NoEstimate
		}
	})
	return nil
}
