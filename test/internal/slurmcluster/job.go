// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Job is what the controller knows of a job. It forgets ended ones after five minutes.
type Job struct {
	ID       string
	State    string // PENDING, RUNNING, COMPLETED, FAILED, CANCELLED, TIMEOUT, ...
	Reason   string
	ExitCode int // of the batch script
	Signal   int // that ended the batch script
	Nodes    string
	Restarts int

	// Fields are all fields as scontrol prints them. Values with blanks are cut short.
	Fields map[string]string
}

// Job asks the controller about one job.
func (c *Cluster) Job(id string) (Job, error) {
	out, err := c.output("scontrol", "show", "job", "--oneliner", id)
	if err != nil {
		return Job{}, err
	}
	return parseJob(out), nil
}

func parseJob(line string) Job {
	fields := map[string]string{}
	for field := range strings.FieldsSeq(line) {
		if key, value, ok := strings.Cut(field, "="); ok {
			fields[key] = value
		}
	}
	code, signal, _ := strings.Cut(fields["ExitCode"], ":")
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	return Job{
		ID:       fields["JobId"],
		State:    fields["JobState"],
		Reason:   fields["Reason"],
		ExitCode: number(code),
		Signal:   number(signal),
		Nodes:    fields["NodeList"],
		Restarts: number(fields["Restarts"]),
		Fields:   fields,
	}
}

// State is the job's state, empty when the controller does not know the job.
func (c *Cluster) State(id string) string {
	job, err := c.Job(id)
	if err != nil {
		return ""
	}
	return job.State
}

// Over reports whether the job has ended for good and its node is free of it.
func (j Job) Over() bool {
	return slices.Contains(finalStates, j.State)
}

var finalStates = []string{
	"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED",
	"NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT",
}

// Submit hands sbatch a script on standard input and returns the id.
func (c *Cluster) Submit(script string, args ...string) (string, error) {
	cmd := c.Command("sbatch", append([]string{"--parsable"}, args...)...)
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("sbatch: %w: %s", err, out)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";")
	return id, nil
}
