// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package cancellation stops jobs in order: the queued ones first, the running ones by asking
// their scripts, and by force only when that takes too long.
package cancellation

import (
	"context"
	"fmt"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Limit is how long an orderly end may take: the driver 10 s, the collector 30 s, the services
// and the scheduler what is left. After force, the same again for the end to be seen.
const Limit = 60 * time.Second

// Cancellation stops jobs of one run.
type Cancellation struct {
	Record *run.Record
	// Host is where the run is.
	Host host.Host
	// Benchmark is the only one to stop; nil stops the run.
	Benchmark *run.BenchmarkRecord
	// By is who cancels.
	By string
	// Reload reads the record anew.
	Reload func(context.Context, *run.Record) *run.Record
	// Say tells the user what is being waited for.
	Say func(format string, args ...any)
	// Limit of the orderly end.
	Limit time.Duration
}

// Run returns when everything that was to be stopped has ended.
func (c *Cancellation) Run(ctx context.Context) error {
	if c.Record.Executor == config.ComputeLocal {
		return c.local(ctx)
	}
	return c.slurm(ctx)
}

// targets are the benchmarks to stop, as the record has them now.
func (c *Cancellation) targets(ctx context.Context) []run.BenchmarkRecord {
	c.Record = c.Reload(ctx, c.Record)
	var all []run.BenchmarkRecord
	for _, b := range c.Record.Benchmarks {
		if c.Benchmark == nil || b.Benchmark == c.Benchmark.Benchmark {
			all = append(all, b)
		}
	}
	return all
}

// pause between two looks: short at first, since most jobs end soon.
func pause(ctx context.Context, looks int) error {
	d := min(time.Duration(looks+1)*250*time.Millisecond, 2*time.Second)
	select {
	case <-ctx.Done():
		return fmt.Errorf("stopped waiting; what was asked to end goes on ending: %w", ctx.Err())
	case <-time.After(d):
		return nil
	}
}
