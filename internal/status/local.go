// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"

	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/local"
)

// observeLocal looks at a job without Slurm that the record does not know to have ended.
func (s subject) observeLocal(ctx context.Context) Job {
	runner := local.Alive(s.record.ExecutorMetadata[local.ProcessKey])
	if s.JobID == nil {
		if runner {
			return s.job(Queued, "local benchmarks run one after another, and this one's turn has not come", "")
		}
		return s.job(Failed, "it was never started: the gym-submit that ran this run is gone", s.again())
	}
	// The order matters: a job that ends between the two has written its story.
	alive := local.Alive(*s.JobID)
	story := joblog.Read(ctx, s.host, s.JobDir, *s.JobID)
	switch {
	case alive:
		return s.job(Running, story.At(), s.unrecorded(story))
	case story.Code == nil && runner:
		return s.job(Running, "its script has ended", "") // the record will say how in a moment
	case story.Code == nil:
		return s.job(Failed, "its process is gone without a word: it was killed, or the machine was restarted", s.logs(joblog.Job))
	}
	return s.conclude(ctx, evidence{story: story, code: story.Code})
}
