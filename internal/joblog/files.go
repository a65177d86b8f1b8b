// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package joblog reads what a job wrote: which logs there are, their ends, and what the job's
// own log tells about its life.
package joblog

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
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

// pathOn is Path where the run is. Upstream's names are known on this machine alone.
func pathOn(h host.Host, jobDir, step, jobID string) string {
	if h.Name() == "" {
		return Path(jobDir, step, jobID)
	}
	return filepath.Join(jobDir, "logs", step+"-"+jobID+".log")
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
func upstreams(h host.Host, jobDir, jobID string) bool {
	return h.Name() == "" && Path(jobDir, Job, jobID) == slurmOutput(jobDir, jobID)
}

// Steps names the logs of a job that are there: the job's own, the collector's, the services'
// in the order of the alphabet, the driver's, the hook's. Logs that may not be read are none.
func Steps(ctx context.Context, h host.Host, jobDir, jobID string) []string {
	steps, _ := ReadableSteps(ctx, h, jobDir, jobID)
	return steps
}

// ReadableSteps is Steps, with an error when the logs may not be read.
func ReadableSteps(ctx context.Context, h host.Host, jobDir, jobID string) (steps []string, err error) {
	logs, err := Logs(ctx, h, jobDir, jobID)
	for _, l := range logs {
		steps = append(steps, l.Step)
	}
	if errors.Is(err, fs.ErrPermission) {
		return steps, err
	}
	return steps, nil // nothing was written yet
}

// Log is the log of one step.
type Log struct {
	Step string
	host.File
}

// Logs lists the logs of a job in the order of Steps.
func Logs(ctx context.Context, h host.Host, jobDir, jobID string) ([]Log, error) {
	files, err := h.List(ctx, filepath.Join(jobDir, "logs"))
	var logs []Log
	for _, f := range files {
		name, isLog := strings.CutSuffix(f.Name, ".log")
		step, ours := strings.CutSuffix(name, "-"+jobID)
		switch {
		case !isLog || step == "":
		case ours:
			logs = append(logs, Log{step, f})
		case !otherJobs.MatchString(name):
			logs = append(logs, Log{name, f})
		}
	}
	if upstreams(h, jobDir, jobID) {
		if info, err := os.Stat(slurmOutput(jobDir, jobID)); err == nil {
			logs = append(logs, Log{Job, host.File{Name: info.Name(), Size: info.Size(), Modified: info.ModTime(), Mode: info.Mode()}})
		}
	}
	slices.SortFunc(logs, func(a, b Log) int { return byRank(a.Step, b.Step) })
	logs = slices.CompactFunc(logs, func(a, b Log) bool { return a.Step == b.Step })
	return logs, err
}

// otherJobs are names of logs that end in the id of a job.
var otherJobs = regexp.MustCompile(`-(\d+|local-\d+-\d+)$`)

func byRank(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) }

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
