// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package cancellation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// askAgain is when a script that shows no sign of having heard is asked once more: it may
// only just have been starting.
const askAgain = 5 * time.Second

// patience with a controller that does not answer. It is a variable for the tests.
var patience = 2 * time.Minute

// hunt is one cancellation on Slurm.
type hunt struct {
	*Cancellation
	jobs   map[string]run.BenchmarkRecord // by job id
	began  time.Time
	asked  map[string]time.Time
	forced time.Time
	// answered is when Slurm did so last.
	answered time.Time
	said     string
	// upstream jobs know no orderly end, and one that waits may be the successor of another.
	upstream bool
}

func (c *Cancellation) slurm(ctx context.Context) error {
	h := &hunt{
		Cancellation: c, jobs: map[string]run.BenchmarkRecord{}, began: time.Now(), asked: map[string]time.Time{},
		upstream: c.Record.Upstream(),
	}
	for _, b := range c.targets(ctx) {
		if b.JobID != nil {
			h.jobs[*b.JobID] = b
		}
	}
	if h.upstream {
		c.Say("gym eval submit made this run: its scripts know no orderly end, counters are as of the last scrape")
	}
	for looks := 0; ; looks++ {
		queue, err := h.queue(ctx)
		switch {
		case err != nil && looks == 0:
			return err
		case err != nil && time.Since(h.answered) > patience:
			return fmt.Errorf("whether it has ended is not known: %w", err)
		case err != nil: // a controller comes back
			if text := err.Error(); text != h.said {
				c.Say("warning: %s", text)
				h.said = text
			}
		default:
			h.answered = time.Now()
			left := h.left(queue)
			if len(left) == 0 {
				return nil
			}
			if err := h.step(ctx, left); err != nil {
				return err
			}
		}
		if err := pause(ctx, looks); err != nil {
			return err
		}
	}
}

// queue is what Slurm has of the jobs. Those of upstream's resumable benchmarks are found by
// their directory: each queues its successor, which no record knows.
func (h *hunt) queue(ctx context.Context) (map[string]slurm.Job, error) {
	if h.upstream {
		mine, err := slurm.Mine(ctx, h.Host)
		if err != nil {
			return nil, err
		}
		for _, b := range h.targets(ctx) {
			for id, j := range mine {
				if j.WorkDir == b.JobDir {
					h.jobs[id] = b
				}
			}
		}
	}
	return slurm.Queue(ctx, h.Host, h.ids())
}

// ids of the jobs, in an order that does not change.
func (h *hunt) ids() []string { return slices.Sorted(maps.Keys(h.jobs)) }

// left are the jobs that have not ended. A job of the same number that is not in the run's
// directory is somebody else's.
func (h *hunt) left(queue map[string]slurm.Job) []slurm.Job {
	var left []slurm.Job
	for _, id := range h.ids() {
		j, found := queue[id]
		if found && !j.Ended() && strings.Contains(j.WorkDir, h.Record.GymJobID) {
			left = append(left, j)
		}
	}
	return left
}

// step does what the jobs that are left call for.
func (h *hunt) step(ctx context.Context, left []slurm.Job) error {
	var pending, running, all []string
	for _, j := range left {
		all = append(all, j.ID)
		switch {
		case j.Pending():
			pending = append(pending, j.ID)
		case j.State == "RUNNING" && h.unheard(ctx, j.ID):
			running = append(running, j.ID)
		}
	}
	if err := slurm.CancelPending(ctx, h.Host, pending); err != nil {
		return err
	}
	h.note(ctx, pending)
	stop := slurm.Stop
	if h.upstream {
		stop = slurm.Cancel
	}
	if err := stop(ctx, h.Host, running); err != nil {
		return err
	}
	h.note(ctx, running)
	waited := time.Since(h.began)
	switch {
	case h.forced.IsZero() && waited > h.Limit:
		h.Say("%s did not end within %v and is ended by force: scancel signals everything in it at once, counters are as of the last scrape",
			h.names(all), h.Limit)
		h.forced = time.Now()
		if err := slurm.Cancel(ctx, h.Host, all); err != nil {
			return err
		}
		h.note(ctx, all)
		return nil
	case !h.forced.IsZero() && time.Since(h.forced) > Limit:
		return fmt.Errorf("%s is still in the queue a minute after scancel: see scontrol show job %s", h.names(all), all[0])
	}
	h.tell(ctx, left, waited)
	return nil
}

// unheard is a script that was not asked yet, or that shows no sign of having heard.
func (h *hunt) unheard(ctx context.Context, id string) bool {
	at, asked := h.asked[id]
	if !asked {
		return true
	}
	story := joblog.Read(ctx, h.Host, h.jobs[id].JobDir, id)
	return time.Since(at) > askAgain && !story.Stopping()
}

// note writes down who cancelled; a directory that cannot be written costs the word alone.
func (h *hunt) note(ctx context.Context, ids []string) {
	for _, id := range ids {
		if _, again := h.asked[id]; !again {
			if err := joblog.NoteCancelled(ctx, h.Host, h.jobs[id].JobDir, id, h.By); err != nil {
				h.Say("warning: %v", err)
			}
		}
		h.asked[id] = time.Now()
	}
}

// tell says what is waited for, whenever that changes.
func (h *hunt) tell(ctx context.Context, left []slurm.Job, waited time.Duration) {
	var parts []string
	for _, j := range left {
		b := h.jobs[j.ID]
		part := b.Benchmark + " (job " + j.ID + ")"
		if !j.Pending() {
			part += ": " + joblog.Read(ctx, h.Host, b.JobDir, j.ID).At()
		}
		parts = append(parts, part)
	}
	if text := strings.Join(parts, "; "); text != h.said {
		h.Say("%3.0f s  waiting for the end of %s", waited.Seconds(), text)
		h.said = text
	}
}

func (h *hunt) names(ids []string) string {
	var names []string
	for _, id := range ids {
		names = append(names, h.jobs[id].Benchmark)
	}
	return strings.Join(names, ", ")
}
