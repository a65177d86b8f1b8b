// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// Story is what the job's own log tells. Everything is empty when it does not say.
type Story struct {
	Began bool
	// Now is what the script said last.
	Now string
	// Stopped is why the script was asked to stop.
	Stopped string
	// CutShort says that the driver was stopped before it was done, whatever its code is.
	CutShort bool
	// Failed is why the job could not go on.
	Failed string
	// Unrecorded says that the collector ended before the driver.
	Unrecorded bool
	// DriverCode is nil when the driver never ran, or has not ended.
	DriverCode *int
	// Code is the job's exit code, nil until the script has said it.
	Code *int
	// Slurm is what Slurm itself wrote when it ended the job, as the state that it gives such a
	// job: CANCELLED, TIMEOUT, PREEMPTED, NODE_FAIL or REQUEUED.
	Slurm string
}

// MayReturn reports whether the job may be in the queue again although its script has ended.
func (s Story) MayReturn() bool {
	return s.Slurm == Requeued || s.Slurm == "PREEMPTED" || s.Slurm == "NODE_FAIL"
}

// Requeued is what Slurm says of a job that it put back into the queue.
const Requeued = "REQUEUED"

// said is a line of the script itself; lines of steps that it shows are indented.
var (
	said        = regexp.MustCompile(`^\d\d:\d\d:\d\d(?:\.\d+)? (.+)$`)
	begins      = regexp.MustCompile(`^job \S+ of .* begins on `)
	ends        = regexp.MustCompile(`^job \S+ of .* ends with code (\d+)$`)
	driverEnded = regexp.MustCompile(`^the driver ended with code (\d+)$`)
	stopping    = regexp.MustCompile(`^stopping the driver \((.+)\)$`)
	stopped     = regexp.MustCompile(`^(?:ERROR|FAILED): stopped while .* was starting \((.+)\)$`)
)

// cancels is what slurmstepd writes into the job's log when Slurm ends the job.
var cancels = regexp.MustCompile(`^slurmstepd\S*: error: \*\*\* JOB \S+ ON .* CANCELLED AT \S+(?: (?i:DUE TO) (.+))? \*\*\*$`)

// stateOf is the state of a job that Slurm ended for that reason.
func stateOf(reason string) string {
	for beginning, state := range map[string]string{
		"TIME LIMIT": "TIMEOUT", "PREEMPTION": "PREEMPTED", "NODE FAILURE": "NODE_FAIL", "JOB REQUEUE": Requeued,
	} {
		if strings.HasPrefix(reason, beginning) {
			return state
		}
	}
	return "CANCELLED"
}

// Read reads the story of a job from the end of its log.
func Read(ctx context.Context, h host.Host, jobDir, jobID string) Story {
	if upstreams(h, jobDir, jobID) {
		return Story{Began: true, Now: "it runs; its script does not say how far it is"}
	}
	var s Story
	for line := range bytes.Lines(end(ctx, h, pathOn(h, jobDir, Job, jobID))) {
		line = bytes.TrimRight(line, "\r\n")
		if m := said.FindSubmatch(line); m != nil {
			s.add(string(m[1]))
		} else if m := cancels.FindSubmatch(line); m != nil {
			s.Slurm = stateOf(string(m[1]))
		}
	}
	if s.Slurm == Requeued { // what the script said of its end was not the job's
		return Story{Slurm: Requeued}
	}
	return s
}

func (s *Story) add(line string) {
	if begins.MatchString(line) {
		*s = Story{Began: true} // a requeued job goes on in the same file
		return
	}
	s.Began = true
	if !strings.HasPrefix(line, "the last lines of ") { // what follows is a step's
		s.Now = line
	}
	if strings.HasPrefix(line, "WARNING: the collector ended early") {
		s.Unrecorded = true
	}
	if m := driverEnded.FindStringSubmatch(line); m != nil {
		s.DriverCode = number(m[1])
	}
	if m := stopping.FindStringSubmatch(line); m != nil {
		s.Stopped = m[1]
	}
	if m := stopped.FindStringSubmatch(line); m != nil {
		s.Stopped = m[1]
	}
	if reason, ok := strings.CutPrefix(line, "STOPPED before the driver was done: "); ok {
		s.Stopped, s.CutShort = reason, true
	}
	if reason, ok := strings.CutPrefix(line, "FAILED: "); ok {
		s.Failed = reason
	}
	if m := ends.FindStringSubmatch(line); m != nil {
		s.Code = number(m[1])
	}
}

// At says in words where in its life the job is.
func (s Story) At() string {
	switch {
	case !s.Began:
		return "it is starting"
	case s.Now == "starting the driver":
		return "the driver runs"
	case s.Unrecorded && !s.Stopping():
		return "the driver runs; its collector has ended, and nothing is recorded any more"
	case s.Now == "":
		return "it has begun"
	}
	return s.Now
}

// Stopping reports whether the job is on its way to its end.
func (s Story) Stopping() bool {
	return s.Stopped != "" || s.Failed != "" || s.DriverCode != nil || s.Code != nil
}

func number(digits string) *int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return nil
	}
	return &n
}

// OutOfMemory reports whether Slurm noted in one of the logs that the kernel killed a step of
// the job for its memory, and in which.
func OutOfMemory(ctx context.Context, h host.Host, jobDir, jobID string) (step string, found bool) {
	for _, step := range Steps(ctx, h, jobDir, jobID) {
		text := end(ctx, h, pathOn(h, jobDir, step, jobID))
		if oomEvent.Match(text) {
			return step, true
		}
	}
	return "", false
}

var oomEvent = regexp.MustCompile(`slurmstepd: error: .*(oom[-_]kill event|OOM Killed)`)
