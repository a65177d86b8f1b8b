// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package joblog reads what a job wrote: which logs there are, their ends, and what the job's
// own log tells about its life.
package joblog

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Names of the logs that are not a service's.
const (
	Job       = "job"
	Collector = "otel_collector"
	Driver    = "driver"
	Hook      = "hook"
)

// Path is the log of one step.
func Path(jobDir, step, jobID string) string {
	own := filepath.Join(jobDir, "logs", step+"-"+jobID+".log")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	for _, other := range others(jobDir, step, jobID) {
		if _, err := os.Stat(other); err == nil {
			return other
		}
	}
	return own
}

// others are the names that upstream's scripts give to the log of a step: the batch script's
// goes where Slurm puts it, and the first version had no job ids in names.
func others(jobDir, step, jobID string) []string {
	if step == Job {
		return []string{slurmOutput(jobDir, jobID)}
	}
	return []string{filepath.Join(jobDir, "logs", step+".log")}
}

func slurmOutput(jobDir, jobID string) string { return filepath.Join(jobDir, "slurm-"+jobID+".out") }

// upstreams tells whether the job runs one of upstream's scripts, which do not tell of their
// life.
func upstreams(jobDir, jobID string) bool {
	return Path(jobDir, Job, jobID) == slurmOutput(jobDir, jobID)
}

// Steps names the logs of a job that are there: the job's own, the collector's, the services'
// in the order of the alphabet, the driver's, the hook's.
func Steps(jobDir, jobID string) []string {
	entries, err := os.ReadDir(filepath.Join(jobDir, "logs"))
	if err != nil {
		return nil // nothing was written, or nothing that we may read
	}
	var steps []string
	for _, e := range entries {
		name, isLog := strings.CutSuffix(e.Name(), ".log")
		step, ours := strings.CutSuffix(name, "-"+jobID)
		switch {
		case !isLog || step == "":
		case ours:
			steps = append(steps, step)
		case !otherJobs.MatchString(name):
			steps = append(steps, name)
		}
	}
	if upstreams(jobDir, jobID) {
		steps = append(steps, Job)
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	slices.SortStableFunc(steps, func(a, b string) int { return rank(a) - rank(b) })
	return steps
}

// otherJobs are names of logs that end in the id of a job.
var otherJobs = regexp.MustCompile(`-(\d+|local-\d+-\d+)$`)

func rank(step string) int {
	switch step {
	case Job:
		return 0
	case Collector:
		return 1
	case Driver:
		return 3
	case Hook:
		return 4
	}
	return 2
}
