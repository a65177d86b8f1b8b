// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// queueFields are squeue's fields in the order of Job; the directory comes last, since it may
// hold anything.
const queueFields = "%i|%T|%M|%L|%S|%N|%r|%Z"

// Queue asks squeue for jobs by id: those that wait and run, and those that ended a moment
// ago, as long as the controller keeps them, hidden partitions included. One call serves any
// number of jobs.
func Queue(ctx context.Context, h host.Host, ids []string) (map[string]Job, error) {
	jobs := map[string]Job{}
	if len(ids) == 0 {
		return jobs, nil
	}
	out, err := output(ctx, h, "squeue", "--noheader", "--all", "--states=all", "--format="+queueFields, "--jobs="+strings.Join(ids, ","))
	if err != nil {
		// A single job that the controller has forgotten is an error to squeue.
		if said(err, "Invalid job id") {
			return jobs, nil
		}
		return nil, err
	}
	parseQueue(out, jobs)
	return jobs, nil
}

// Mine asks squeue for all jobs of this user that wait or run.
func Mine(ctx context.Context, h host.Host) (map[string]Job, error) {
	out, err := output(ctx, h, "squeue", "--noheader", "--all", "--me", "--format="+queueFields)
	if err != nil {
		return nil, err
	}
	jobs := map[string]Job{}
	parseQueue(out, jobs)
	return jobs, nil
}

func parseQueue(out string, jobs map[string]Job) {
	for line := range strings.Lines(out) {
		if j, ok := parseQueued(strings.TrimRight(line, "\n")); ok {
			jobs[j.ID] = j
		}
	}
}

// Start is when and where Slurm means to start a job.
type Start struct{ At, Nodes string }

// Starts asks for the plans of the backfill scheduler, which looks at few jobs and seldom:
// of the others it has none.
func Starts(ctx context.Context, h host.Host, ids []string) (map[string]Start, error) {
	starts := map[string]Start{}
	if len(ids) == 0 {
		return starts, nil
	}
	out, err := output(ctx, h, "squeue", "--start", "--noheader", "--all", "--format=%i|%S|%Y", "--jobs="+strings.Join(ids, ","))
	if err != nil {
		if said(err, "Invalid job id") {
			return starts, nil
		}
		return nil, err
	}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 3)
		if len(f) == 3 && meaningful(f[1]) != "" {
			starts[f[0]] = Start{f[1], meaningful(f[2])}
		}
	}
	return starts, nil
}

// JobIn finds the job whose directory is dir, empty when there is none in the queue but those that are known.
func JobIn(ctx context.Context, h host.Host, dir string, known []string) (id string, err error) {
	out, err := output(ctx, h, "squeue", "--noheader", "--all", "--states=all", "--me", "--format="+queueFields)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if j, ok := parseQueued(strings.TrimRight(line, "\n")); ok && j.WorkDir == dir && !slices.Contains(known, j.ID) {
			id = j.ID
		}
	}
	return id, nil
}

func parseQueued(line string) (Job, bool) {
	f := strings.SplitN(line, "|", 8)
	if len(f) < 8 || f[0] == "" {
		return Job{}, false // what a plugin prints
	}
	return Job{
		ID: f[0], State: f[1], Elapsed: f[2], Left: meaningful(f[3]), Start: meaningful(f[4]), Nodes: f[5],
		Reason: meaningful(f[6]), WorkDir: f[7],
	}, true
}
