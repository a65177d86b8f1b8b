// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

// afterwards are the commands for runs that were submitted before.
func afterwards(e *env) []*cobra.Command {
	return []*cobra.Command{
		newListCommand(e), newStatusCommand(e), newInfoCommand(e), newLogsCommand(e), newFetchCommand(e), newCancelCommand(e), newWaitCommand(e),
		newResubmitCommand(e),
	}
}

// idsHelp explains, in every command that takes one, what an ID may be.
const idsHelp = `ID is a run id or any unique beginning of one (with or without gym-job-), the last six
characters of a run id or their beginning, the id of one of its jobs, or a run directory.
Without an ID, the newest run is used.`

// table lays out columns; the last one is as wide as it has to be.
func (e *env) table() *tabwriter.Writer { return tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0) }

// records finds the named runs, or the newest.
func (e *env) records(ids []string) ([]*run.Record, error) {
	h := e.history()
	if len(ids) == 0 {
		newest, err := h.Newest()
		return []*run.Record{newest}, err
	}
	var records []*run.Record
	for _, id := range ids {
		r, err := h.Lookup(id)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// selection reads [ID] [BENCHMARK] and what is behind.
func (e *env) selection(words []string) (history.Selection, error) {
	return e.history().Select(words)
}

// only is the record of a run as if it had these benchmarks alone.
func only(r *run.Record, names ...string) *run.Record {
	part := *r
	part.Benchmarks = nil
	for _, name := range names {
		part.Benchmarks = append(part.Benchmarks, *history.Benchmark(r, name))
	}
	return &part
}

// hostOf is where a run is: its files, and its Slurm. A run of another machine that has ended
// and was fetched is read from its copy.
func (e *env) hostOf(r *run.Record) host.Host {
	if status.Elsewhere(r) != "" {
		return host.Local{} // which is asked in vain, and that is said
	}
	if c, ok := e.fetchedCopy(r); ok && !e.noCopies {
		return c
	}
	return e.hosts.Of(r.Machine())
}

// here refuses to act on a run that can only be reached on its own machine.
func here(r *run.Record, command string) error {
	if machine := status.Elsewhere(r); machine != "" {
		return fmt.Errorf("%s is on %s: run gym-submit %s there", r.GymJobID, machine, command)
	}
	return nil
}

// atMost refuses words that nothing is known of.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usageError{fmt.Errorf("%s does not know what to do with %q\nSee: %s --help", cmd.Name(), args[n], cmd.CommandPath())}
		}
		return nil
	}
}

// fresh reads records anew: a local run's says more and more while it runs. The job directory
// has what the index may have missed.
func (e *env) fresh(ctx context.Context, records []*run.Record) []*run.Record {
	var now []*run.Record
	for _, r := range records {
		now = append(now, e.freshOf(ctx, r))
	}
	return now
}

// freshOf keeps to the benchmarks that the record speaks of.
func (e *env) freshOf(ctx context.Context, r *run.Record) *run.Record {
	read, err := run.OpenOn(ctx, e.hostOf(r), r.RunDir)
	if err != nil || read.GymJobID != r.GymJobID {
		return r
	}
	read.Benchmarks = slices.DeleteFunc(read.Benchmarks, func(b run.BenchmarkRecord) bool {
		return history.Benchmark(r, b.Benchmark) == nil
	})
	return read
}

// isTerminal reports whether a person sits at the other end.
func isTerminal(stream any) bool {
	f, isFile := stream.(*os.File)
	if !isFile {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
