// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// wanted is a job of a run. Numbers begin anew when a cluster does, and a record may outlive
// its cluster: the number alone does not name a job.
type wanted struct{ job, run string }

// schedule is what Slurm's commands answered.
type schedule struct {
	jobs map[wanted]slurm.Job
	// answered is false when nothing can be concluded from a job's absence.
	answered bool
	// unreachable is the machine that could not be asked for anything at all.
	unreachable string
}

// askHosts asks the Slurm of every host that the runs are on, side by side.
func askHosts(ctx context.Context, hostOf HostOf, records []*run.Record) (schedules map[string]schedule, warnings []string) {
	jobs := map[string][]wanted{}
	hosts := map[string]host.Host{}
	for _, r := range records {
		if r.Executor == config.ComputeLocal {
			continue
		}
		h := hostOf(r)
		hosts[h.Name()] = h
		for _, b := range r.Benchmarks {
			if b.JobID != nil {
				jobs[h.Name()] = append(jobs[h.Name()], wanted{*b.JobID, r.GymJobID})
			}
		}
	}
	names := slices.Sorted(maps.Keys(hosts))
	answers, said := make([]schedule, len(names)), make([][]string, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { answers[i], said[i] = askSlurm(ctx, hosts[name], jobs[name]) })
	}
	all.Wait()
	schedules = map[string]schedule{}
	for i, name := range names {
		schedules[name] = answers[i]
		warnings = append(warnings, said[i]...)
	}
	return schedules, warnings
}

// askSlurm asks squeue, and sacct for what is no longer in the queue.
func askSlurm(ctx context.Context, h host.Host, all []wanted) (s schedule, warnings []string) {
	s.jobs = map[wanted]slurm.Job{}
	if _, fetched := h.(host.Archive); fetched { // all of it had ended
		s.answered = true
		return s, nil
	}
	queue, err := slurm.Queue(ctx, h, numbers(all))
	if unreachable, ok := errors.AsType[*host.ConnectError](err); ok {
		s.unreachable = h.Name()
		return s, []string{unreachable.Error()}
	}
	if err != nil {
		return s, []string{err.Error() + ": what follows is from the jobs' own files"}
	}
	s.answered = true
	s.add(all, queue)
	var over []wanted
	for _, w := range all {
		if j, inQueue := s.jobs[w]; !inQueue || j.Ended() {
			over = append(over, w)
		}
	}
	accounts, err := slurm.Accounts(ctx, h, numbers(over))
	if err != nil && !errors.Is(err, slurm.ErrNoAccounting) {
		warnings = append(warnings, err.Error())
	}
	// Accounts lag behind: a job that they believe to run is over all the same.
	maps.DeleteFunc(accounts, func(_ string, j slurm.Job) bool { return !j.Ended() })
	s.add(over, accounts)
	return s, warnings
}

// add takes the jobs that are in their run's directory; others of the same number are others.
func (s schedule) add(all []wanted, answer map[string]slurm.Job) {
	for _, w := range all {
		if j, found := answer[w.job]; found && (j.WorkDir == "" || strings.Contains(j.WorkDir, w.run)) {
			s.jobs[w] = j
		}
	}
}

func numbers(all []wanted) []string {
	var ids []string
	for _, w := range all {
		if !slices.Contains(ids, w.job) {
			ids = append(ids, w.job)
		}
	}
	return ids
}

func (s subject) observeSlurm(ctx context.Context, schedule schedule) Job {
	if s.JobID == nil {
		return s.job(Unknown, "the record holds no job id", "")
	}
	if schedule.unreachable != "" {
		job := s.job(Unknown, schedule.unreachable+" cannot be reached", "try again when it can")
		job.unanswered, job.unreachable = true, schedule.unreachable
		return job
	}
	j, found := schedule.jobs[wanted{*s.JobID, s.record.GymJobID}]
	story := joblog.Read(ctx, s.host, s.JobDir, *s.JobID)
	switch {
	case found && j.Pending():
		return s.with(j, s.job(Queued, s.waits(j), ""))
	case found && j.Active():
		return s.with(j, s.job(Running, doing(j, story), s.unrecorded(story)))
	case !schedule.answered && (story.Code == nil || story.MayReturn()):
		job := s.job(Unknown, "Slurm did not answer, and the job has not said that it ended", "try again")
		job.unanswered = true
		return job
	}
	e := evidence{job: j, story: story, code: story.Code}
	if found && story.Code == nil && j.Code == nil {
		if shown, ok, err := slurm.Show(ctx, s.host, *s.JobID); err == nil && ok {
			e.job.Code, e.job.Signal = shown.Code, shown.Signal
		}
	}
	return s.with(j, s.conclude(ctx, e))
}

// waits says why a job waits; Slurm does not know that it is held back on purpose.
func (s subject) waits(j slurm.Job) string {
	if most := s.record.ExecutorMetadata[run.MaxParallelKey]; most != "" && j.Reason == "Dependency" {
		return "its turn has not come: at most " + most + " jobs of the run at a time (Dependency)"
	}
	return j.Waits()
}

// with adds Slurm's own words.
func (s subject) with(j slurm.Job, job Job) Job {
	job.SchedulerState, job.SchedulerReason = j.State, j.Reason
	job.Elapsed, job.Nodes = j.Elapsed, j.Nodes
	if j.Active() {
		job.Left = j.Left
	}
	if j.Pending() && !j.Held() {
		job.ExpectedStart = j.Start
	}
	return job
}

// unrecorded is where a running job's collector says why it ended; empty while it runs.
func (s subject) unrecorded(story joblog.Story) string {
	if !story.Unrecorded {
		return ""
	}
	return s.logs(joblog.Collector)
}

// doing says what a running job is at.
func doing(j slurm.Job, story joblog.Story) string {
	switch j.State {
	case "CONFIGURING":
		return "its nodes are being made ready"
	case "SUSPENDED", "STOPPED":
		return "it is suspended"
	case "COMPLETING":
		return "it has ended and its nodes are being cleaned up"
	}
	return story.At()
}
