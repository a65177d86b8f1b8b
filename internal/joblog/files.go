// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package joblog reads what a job wrote: which logs there are, their ends, and what the job's
// own log tells about its life.
package joblog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names of the logs that are not a service's.
const (
	Job       = "job"
	Collector = "otel_collector"
	Driver    = "driver"
)

// Path is the log of one step.
func Path(jobDir, step, jobID string) string {
	return filepath.Join(jobDir, "logs", step+"-"+jobID+".log")
}

// Steps names the logs of a job that are there: the job's own, the collector's, the services'
// in the order of the alphabet, the driver's.
func Steps(jobDir, jobID string) []string {
	entries, err := os.ReadDir(filepath.Join(jobDir, "logs"))
	if err != nil {
		return nil // nothing was written, or nothing that we may read
	}
	var steps []string
	for _, e := range entries {
		if step, ok := strings.CutSuffix(e.Name(), "-"+jobID+".log"); ok && step != "" {
			steps = append(steps, step)
		}
	}
	slices.SortStableFunc(steps, func(a, b string) int { return rank(a) - rank(b) })
	return steps
}

func rank(step string) int {
	switch step {
	case Job:
		return 0
	case Collector:
		return 1
	case Driver:
		return 3
	}
	return 2
}
