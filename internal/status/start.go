// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"maps"
	"slices"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// NoEstimate is what is said of a queued job that Slurm has no plan for.
const NoEstimate = "Slurm has not planned its start yet"

// EstimateStarts asks the Slurm of every host when it means to start the jobs that wait.
func EstimateStarts(ctx context.Context, runs []Run) (warnings []string) {
	hosts := map[string]host.Host{}
	waiting := map[string][]*Job{}
	for _, r := range runs {
		for i := range r.Benchmarks {
			if j := &r.Benchmarks[i]; j.State == Queued && j.JobID != nil {
				hosts[r.host.Name()] = r.host
				waiting[r.host.Name()] = append(waiting[r.host.Name()], j)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		if err := estimate(ctx, hosts[name], waiting[name]); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	return warnings
}

func estimate(ctx context.Context, h host.Host, jobs []*Job) error {
	var ids []string
	for _, j := range jobs {
		ids = append(ids, *j.JobID)
	}
	starts, err := slurm.Starts(ctx, h, ids)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if start, planned := starts[*j.JobID]; planned {
			j.ExpectedStart, j.ExpectedNodes = start.At, start.Nodes
		} else if j.ExpectedStart == "" {
			j.Why += ". " + NoEstimate
		}
	}
	return nil
}
