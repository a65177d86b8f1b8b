// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// Start runs a cluster for the length of a test. Where none can run, the test is skipped
// with the reason; if the test fails, the ends of all logs are shown.
func Start(tb testing.TB, options Options) *Cluster {
	tb.Helper()
	if err := options.missing(); err != nil {
		tb.Skip(err)
	}
	c, err := New(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log(c.Logs())
		}
		if err := c.Close(); err != nil {
			tb.Errorf("close the cluster: %v", err)
		}
	})
	return c
}

// MustSubmit is Submit for a test.
func (c *Cluster) MustSubmit(tb testing.TB, script string, args ...string) string {
	tb.Helper()
	id, err := c.Submit(script, args...)
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// Wait waits until the job has ended and returns what became of it.
func (c *Cluster) Wait(tb testing.TB, id string, timeout time.Duration) Job {
	tb.Helper()
	var job Job
	wait.For(tb, timeout, func() (err error) {
		if job, err = c.Job(id); err == nil && !job.Over() {
			err = fmt.Errorf("job %s is %s (%s)", id, job.State, job.Reason)
		}
		return err
	})
	return job
}

// WaitState waits until the job is in a state such as RUNNING.
func (c *Cluster) WaitState(tb testing.TB, id, state string, timeout time.Duration) {
	tb.Helper()
	wait.For(tb, timeout, func() error {
		if got := c.State(id); got != state {
			return fmt.Errorf("job %s is %s, not %s", id, got, state)
		}
		return nil
	})
}

// Run runs a client command of Slurm, such as scancel, and returns what it printed.
func (c *Cluster) Run(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	out, err := c.output(name, args...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
