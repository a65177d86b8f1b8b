// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package cancellation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// local stops jobs that run without Slurm.
func (c *Cancellation) local(ctx context.Context) error {
	if err := c.askLocal(ctx); err != nil {
		return err
	}
	began, forced, said := time.Now(), false, ""
	for looks := 0; ; looks++ {
		left := c.alive(ctx)
		if len(left) == 0 {
			return nil
		}
		waited := time.Since(began)
		switch {
		case !forced && waited > c.Limit:
			forced = true
			c.Say("it did not end within %v and is killed; counters are as of the last scrape", c.Limit)
			if err := c.kill(ctx); err != nil {
				return err
			}
		case waited > c.Limit+Limit:
			return fmt.Errorf("it still runs a minute after it was killed: see process %s", left[0])
		}
		if now := c.now(ctx); now != said {
			c.Say("%3.0f s  waiting for the end: %s", waited.Seconds(), now)
			said = now
		}
		if err := pause(ctx, looks); err != nil {
			return err
		}
	}
}

// askLocal asks for the orderly end, and notes who did.
func (c *Cancellation) askLocal(ctx context.Context) error {
	jobs := c.running(ctx)
	if err := c.signalLocal(jobs); err != nil {
		return err
	}
	for _, b := range jobs {
		if err := joblog.NoteCancelled(ctx, c.Host, b.JobDir, *b.JobID, c.By); err != nil {
			c.Say("warning: %v", err)
		}
	}
	return nil
}

// signalLocal signals the scripts; for a whole run it signals the program that runs them,
// which passes it on and starts no other.
func (c *Cancellation) signalLocal(jobs []run.BenchmarkRecord) error {
	if runner := c.Record.ExecutorMetadata[local.ProcessKey]; c.Benchmark == nil && runner != "" {
		err := local.Signal(runner, syscall.SIGUSR1)
		if !errors.Is(err, local.ErrGone) {
			return err
		}
	}
	for _, b := range jobs {
		if err := local.Signal(*b.JobID, syscall.SIGUSR1); err != nil && !errors.Is(err, local.ErrGone) {
			return err
		}
	}
	return nil
}

// running are the targets whose script runs.
func (c *Cancellation) running(ctx context.Context) []run.BenchmarkRecord {
	var jobs []run.BenchmarkRecord
	for _, b := range c.targets(ctx) {
		if b.JobID != nil && b.ExitCode == nil && local.Alive(*b.JobID) {
			jobs = append(jobs, b)
		}
	}
	return jobs
}

// alive are the processes whose end is waited for: the scripts, and for a whole run the
// program that runs them, which still has the record to write.
func (c *Cancellation) alive(ctx context.Context) []string {
	var ids []string
	for _, b := range c.running(ctx) {
		ids = append(ids, *b.JobID)
	}
	if runner := c.Record.ExecutorMetadata[local.ProcessKey]; c.Benchmark == nil && local.Alive(runner) {
		ids = append(ids, runner)
	}
	return ids
}

// kill ends the scripts. The program that runs them ends what they leave behind.
func (c *Cancellation) kill(ctx context.Context) error {
	for _, b := range c.running(ctx) {
		if err := local.Signal(*b.JobID, syscall.SIGKILL); err != nil && !errors.Is(err, local.ErrGone) {
			return err
		}
	}
	if !local.Alive(c.Record.ExecutorMetadata[local.ProcessKey]) {
		c.Say("warning: the gym-submit that started it is gone; look for processes that the job left behind")
	}
	return nil
}

// now is where the running scripts are.
func (c *Cancellation) now(ctx context.Context) string {
	var parts []string
	for _, b := range c.running(ctx) {
		parts = append(parts, b.Benchmark+": "+joblog.Read(ctx, c.Host, b.JobDir, *b.JobID).At())
	}
	if len(parts) == 0 {
		return "its processes are being cleaned up"
	}
	return strings.Join(parts, "; ")
}
