// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

// watchInterval is how often --watch looks; it costs the controller a call each time.
const watchInterval = 5 * time.Second

func newStatusCommand(e *env) *cobra.Command {
	var asJSON, watch bool
	cmd := &cobra.Command{
		Use:   "status [ID...] [--json] [--watch]",
		Short: "Say how runs are, why they wait and why they ended",
		Long: `Says how each benchmark of a run is: why it waits, what it is at, or why it ended and
what to do about it. It joins what Slurm knows (one squeue, and one sacct where there
is accounting) with what the jobs wrote.

` + idsHelp + `

The state of a run is the first of these that one of its benchmarks is in: running,
queued, failed, cancelled, unknown, succeeded. The exit code is 0 whatever the state:
gym-submit wait ends with the run's own.`,
		Example: `  gym-submit status
  gym-submit status c0ffee --watch
  gym-submit status 4711 --json`,
		ValidArgsFunction: completeIDs(e),
		RunE: func(cmd *cobra.Command, args []string) error {
			records, err := e.records(args)
			switch {
			case err != nil:
				return err
			case watch && asJSON:
				return usageError{errors.New("--watch shows tables for people: leave out --json, or call status --json as often as you like")}
			case watch:
				return watchStatus(cmd.Context(), e, records)
			}
			return printStatus(e, observe(cmd.Context(), e, records), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the states as a JSON list, one element a run")
	cmd.Flags().BoolVar(&watch, "watch", false, "look again every 5 seconds until everything has ended")
	return cmd
}

// observe looks at runs and passes on what could not be asked.
func observe(ctx context.Context, e *env, records []*run.Record) []status.Run {
	runs, warnings := status.Observe(ctx, fresh(records))
	for _, w := range warnings {
		e.talk("warning: %s", w)
	}
	return runs
}

func printStatus(e *env, runs []status.Run, asJSON bool) error {
	if asJSON {
		return printJSON(e, runs)
	}
	_, err := io.WriteString(e.stdout, statusText(runs))
	return err
}

// watchStatus shows the states again and again: on a terminal in the same place, elsewhere
// whenever something has changed.
func watchStatus(ctx context.Context, e *env, records []*run.Record) error {
	shown := ""
	for {
		runs := observe(ctx, e, records)
		text := statusText(runs)
		switch {
		case isTerminal(e.stdout):
			fmt.Fprint(e.stdout, "\x1b[H\x1b[2J"+text)
		case text != shown:
			fmt.Fprint(e.stdout, text)
		}
		shown = text
		if !slices.ContainsFunc(runs, func(r status.Run) bool { return !r.Over() }) {
			return nil
		}
		if err := sleep(ctx, watchInterval); err != nil {
			return err
		}
	}
}

// sleep ends early, with an error, when the context does.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func statusText(runs []status.Run) string {
	var out strings.Builder
	for i, r := range runs {
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s on %s, submitted %s: %s\n", r.GymJobID, r.Cluster, when(r.SubmittedAt), r.State)
		table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "BENCHMARK\tJOB\tSTATE\tCODE\tTIME\tWHY")
		for _, j := range r.Benchmarks {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", j.Benchmark, orDash(j.JobID), j.State, codeOf(j), timeOf(j), whyOf(j))
		}
		_ = table.Flush() // into memory
		for _, j := range r.Benchmarks {
			if j.Next != "" {
				fmt.Fprintf(&out, "next for %s: %s\n", j.Benchmark, j.Next)
			}
		}
	}
	return out.String()
}

func whyOf(j status.Job) string {
	why := strings.Join(strings.Fields(j.Why), " ")
	if j.Left != "" {
		why += ", " + j.Left + " left"
	}
	if j.ExpectedStart != "" {
		why += ", expected to start " + j.ExpectedStart
	}
	return why
}

func codeOf(j status.Job) string {
	if j.ExitCode == nil {
		return "-"
	}
	return strconv.Itoa(*j.ExitCode)
}

func timeOf(j status.Job) string {
	if j.Elapsed == "" {
		return "-"
	}
	return j.Elapsed
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}
