// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import "strings"

// Job is what Slurm says of one job. Texts are Slurm's own words.
type Job struct {
	ID     string
	State  string // in full, such as OUT_OF_MEMORY
	Reason string // why it waits, or why it ended
	// By is who cancelled it, a user id or name, when accounting knows.
	By string
	// Code and Signal are the batch script's; nil when this source does not tell.
	Code, Signal *int
	Elapsed      string
	Left         string // of the time limit
	Start        string // expected, while it waits
	Nodes        string
	WorkDir      string
}

// Pending is a job that has not begun.
func (j Job) Pending() bool {
	switch j.State {
	case "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT":
		return true
	}
	return false
}

// Held is a job that waits until somebody lets it go.
func (j Job) Held() bool {
	return strings.Contains(strings.ToLower(j.Reason), "held") || j.Reason == "JobHoldMaxRequeue"
}

// Active is a job that has begun and is not over. One that is COMPLETING is over for its
// script, but not yet gone from its nodes.
func (j Job) Active() bool {
	switch j.State {
	case "RUNNING", "CONFIGURING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT", "COMPLETING", "RESV_DEL_HOLD":
		return true
	}
	return false
}

// Ended is a job that is over.
func (j Job) Ended() bool { return j.State != "" && !j.Pending() && !j.Active() }

// meaningful drops what Slurm prints for nothing.
func meaningful(text string) string {
	switch strings.Trim(text, "()") {
	case "None", "N/A", "Unknown", "null", "INVALID", "NOT_SET", "UNLIMITED":
		return ""
	}
	return text
}
