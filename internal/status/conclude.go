// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"fmt"
	"os/user"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// evidence is what is known of a job that is over.
type evidence struct {
	job   slurm.Job // empty when Slurm has forgotten it, or never had it
	story joblog.Story
	code  *int
}

// neverBegan is a benchmark without a job.
func (s subject) neverBegan() Job {
	switch {
	case *s.Error == local.Interrupted:
		return s.job(Cancelled, "the run was stopped before it was started", "")
	case strings.HasPrefix(*s.Error, run.NotKnown):
		return s.job(Unknown, *s.Error, "")
	case s.record.Executor == config.ComputeLocal:
		return s.job(Failed, "it was not started: "+*s.Error, s.again())
	}
	return s.job(Failed, "it was not queued: "+*s.Error,
		"when sbatch objects to the file, change that and submit it anew; otherwise "+s.again())
}

// conclude says how a job ended, and why.
func (s subject) conclude(ctx context.Context, e evidence) Job {
	if !e.story.Began && s.JobID != nil {
		e.story = joblog.Read(ctx, s.host, s.JobDir, *s.JobID)
	}
	if e.job.State == "" { // forgotten, but Slurm said it in the job's log
		e.job.State = e.story.Slurm
	}
	if e.code == nil {
		e.code = scriptCode(e.job)
	}
	job := s.explain(ctx, e)
	job.ExitCode = e.code
	return job
}

func (s subject) explain(ctx context.Context, e evidence) Job {
	by := joblog.CancelledBy(ctx, s.host, s.JobDir, *s.JobID)
	switch {
	case !e.story.CutShort && (e.job.State == "COMPLETED" || e.job.State == "" && e.code != nil && *e.code == 0):
		return s.job(Succeeded, "the driver ended with code 0", "")
	case by != "":
		return s.job(Cancelled, "cancelled by "+by, "")
	case e.job.State == "CANCELLED":
		return s.job(Cancelled, "cancelled"+byWhom(e.job.By)+before(e), "")
	case e.job.State == joblog.Requeued:
		return s.job(Unknown, "Slurm put it back into the queue and has forgotten it: it was cancelled there perhaps", s.again())
	}
	if why, next := s.ofSlurm(e); why != "" {
		return s.job(Failed, why, next)
	}
	if e.code != nil && *e.code != 0 {
		if step, found := joblog.OutOfMemory(ctx, s.host, s.JobDir, *s.JobID); found {
			return s.job(Failed, "out of memory: the kernel killed a process of "+step, s.moreMemory())
		}
	}
	return s.ofStory(ctx, e)
}

// ofSlurm are ends that Slurm brought about.
func (s subject) ofSlurm(e evidence) (why, next string) {
	nodes := ""
	if e.job.Nodes != "" {
		nodes = " (" + e.job.Nodes + ")"
	}
	switch e.job.State {
	case "TIMEOUT":
		return "its walltime was used up, and Slurm ended it", s.moreTime()
	case "OUT_OF_MEMORY":
		return "out of memory: the kernel killed a process of it", s.moreMemory()
	case "NODE_FAIL":
		return "a node failed under it" + nodes, s.again()
	case "BOOT_FAIL":
		return "its nodes did not start" + nodes, s.again()
	case "PREEMPTED":
		return "a job with a higher priority took its nodes", s.again()
	case "DEADLINE":
		return "its deadline was over", "submit it again with a later one"
	}
	if e.job.Reason == "JobLaunchFailure" || e.job.Reason == "launch failed requeued held" {
		return "Slurm could not start it" + nodes, "see whether " + s.JobDir + " is there on the compute nodes: job.output_path must be on shared storage"
	}
	return "", ""
}

// ofStory are ends that the job tells of itself.
func (s subject) ofStory(ctx context.Context, e evidence) Job {
	switch {
	case e.story.Stopped == "" && e.story.Failed != "":
		return s.job(Failed, e.story.Failed, s.logs(joblog.Job))
	case s.record.Executor == config.ComputeLocal && strings.HasPrefix(e.story.Stopped, "USR1"):
		return s.job(Failed, "it was stopped in order, because the gym-submit that ran it ended or somebody sent USR1"+andDriver(e.story), s.again())
	case strings.Contains(e.story.Stopped, "walltime"):
		return s.job(Failed, "it was stopped in order because its walltime was nearly used up"+andDriver(e.story), s.moreTime())
	case e.story.Stopped != "":
		return s.job(Failed, "it was stopped ("+e.story.Stopped+")"+andDriver(e.story), "")
	case e.story.DriverCode != nil && *e.story.DriverCode != 0:
		return s.job(Failed, driverEnded(*e.story.DriverCode), s.logs(joblog.Driver))
	case e.code != nil:
		return s.job(Failed, fmt.Sprintf("the job script ended with code %d", *e.code), s.logs(joblog.Job))
	case e.job.State != "":
		return s.job(Failed, "Slurm says "+e.job.State, s.logs(joblog.Job))
	}
	if gone, err := s.host.Missing(ctx, []string{s.JobDir}, nil); err == nil && len(gone) > 0 {
		return s.job(Unknown, "Slurm has forgotten it, and its directory "+s.JobDir+" is not there",
			"when the run was moved, name the directory where it is now: gym-submit status DIRECTORY")
	}
	return s.job(Unknown, "Slurm has forgotten it, and it did not say how it ended", s.logs(joblog.Job))
}

// scriptCode is the code that Slurm noted, as a shell says it.
func scriptCode(j slurm.Job) *int {
	const lastSignal = 64 // above are words of Slurm's own
	if j.Code != nil && *j.Code == 0 && j.Signal != nil && *j.Signal <= lastSignal {
		code := 128 + *j.Signal
		return &code
	}
	if j.Code != nil && *j.Code == 0 && j.State != "COMPLETED" {
		return nil // what Slurm writes for a job that never ran
	}
	return j.Code
}

func driverEnded(code int) string {
	text := fmt.Sprintf("the driver ended with code %d", code)
	switch code {
	case 126:
		return text + ": its command cannot be executed"
	case 127:
		return text + ": its command was not found"
	case 137:
		return text + ": it was killed, for want of memory perhaps"
	case 139:
		return text + ": it crashed (segmentation fault)"
	case 143:
		return text + ": it was told to stop"
	}
	return text
}

func andDriver(story joblog.Story) string {
	if story.DriverCode == nil {
		return ""
	}
	return fmt.Sprintf("; the driver ended with code %d", *story.DriverCode)
}

// byWhom names who cancelled a job; a static program knows local users only.
func byWhom(uid string) string {
	if uid == "" {
		return ""
	}
	if u, err := user.LookupId(uid); err == nil {
		return " by " + u.Username
	}
	return " by user " + uid
}

func before(e evidence) string {
	if e.story.Began {
		return ""
	}
	return " before it began"
}

// again is the command that runs the job once more, as it is.
func (s subject) again() string {
	return fmt.Sprintf("gym-submit resubmit %s %s", s.record.GymJobID, s.Benchmark)
}

func (s subject) moreTime() string {
	return fmt.Sprintf("raise compute.%s.walltime and submit it again", s.record.Cluster)
}

func (s subject) moreMemory() string {
	return fmt.Sprintf("ask for more with extra_args: {mem: …} below compute.%s and submit it again", s.record.Cluster)
}
