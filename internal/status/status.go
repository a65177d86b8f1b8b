// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package status says in plain words how runs are: it joins what the scheduler knows with what
// the jobs wrote themselves.
package status

import (
	"slices"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/progress"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// State of a job or of a run.
type State string

// The states, in the order in which one of a job's becomes its run's.
const (
	Running   State = "running"
	Queued    State = "queued"
	Failed    State = "failed"
	Cancelled State = "cancelled"
	Unknown   State = "unknown"
	Succeeded State = "succeeded"
)

var order = []State{Running, Queued, Failed, Cancelled, Unknown, Succeeded}

// Ended is a state that nothing follows.
func (s State) Ended() bool { return s != Running && s != Queued }

// Job is how one benchmark of a run is.
type Job struct {
	Benchmark string  `json:"benchmark"`
	JobID     *string `json:"job_id"`
	State     State   `json:"state"`
	ExitCode  *int    `json:"exit_code"`
	// Why it waits, what it does, or why it ended; Next is what the user may do about it.
	Why  string `json:"why"`
	Next string `json:"next,omitempty"`
	// In the scheduler's own words.
	SchedulerState  string `json:"scheduler_state,omitempty"`
	SchedulerReason string `json:"scheduler_reason,omitempty"`
	Elapsed         string `json:"elapsed,omitempty"`
	Left            string `json:"left,omitempty"`
	ExpectedStart   string `json:"expected_start,omitempty"`
	ExpectedNodes   string `json:"expected_nodes,omitempty"`
	Nodes           string `json:"nodes,omitempty"`
	// What the job's collector wrote: how far the engines are, while it runs, and what of the
	// telemetry the backend has.
	Progress *progress.Progress `json:"progress,omitempty"`
	Delivery *Delivery          `json:"delivery,omitempty"`
	// unanswered is a state that is unknown only because nobody could be asked just now.
	unanswered bool
	// unreachable is the machine that could not be asked for that.
	unreachable string
}

// Over reports whether the job has ended for all that can be known.
func (j Job) Over() bool { return j.State.Ended() && !j.unanswered }

// Run is how a run is.
type Run struct {
	GymJobID    string `json:"gym_job_id"`
	SubmittedAt string `json:"submitted_at"`
	Cluster     string `json:"cluster"`
	Executor    string `json:"executor"`
	RunDir      string `json:"run_dir"`
	State       State  `json:"state"`
	Benchmarks  []Job  `json:"benchmarks"`
	host        host.Host
}

func newRun(h host.Host, r *run.Record, jobs []Job) Run {
	return Run{r.GymJobID, r.SubmittedAt, r.Cluster, r.Executor, r.RunDir, rollUp(jobs), jobs, h}
}

// rollUp makes one state of many: what still happens comes before what went wrong, and only
// when everything succeeded did the run.
func rollUp(jobs []Job) State {
	for _, state := range order {
		if slices.ContainsFunc(jobs, func(j Job) bool { return j.State == state }) {
			return state
		}
	}
	return Unknown
}

// Result is the exit code of a run that has ended: the first of its jobs' that is not 0, in
// the order of the benchmarks, and 1 for a job that has none. Jobs that go on do not count.
func (r Run) Result() int {
	for _, j := range r.Benchmarks {
		switch {
		case !j.Over(): // somebody did not wait for it
		case j.ExitCode != nil && *j.ExitCode != 0:
			return *j.ExitCode
		case j.State != Succeeded:
			return 1
		}
	}
	return 0
}

// Unreachable names the machine that could not be asked, empty when all was.
func (r Run) Unreachable() string {
	for _, j := range r.Benchmarks {
		if j.unreachable != "" {
			return j.unreachable
		}
	}
	return ""
}

// Over reports whether all of the run has ended.
func (r Run) Over() bool { return len(r.Unfinished()) == 0 }

// Unfinished names the benchmarks that have not ended.
func (r Run) Unfinished() []string {
	var names []string
	for _, j := range r.Benchmarks {
		if !j.Over() {
			names = append(names, j.Benchmark)
		}
	}
	return names
}
