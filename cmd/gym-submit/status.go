// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

// watchInterval is how often --watch looks; it costs the controller a call each time.
const watchInterval = 5 * time.Second

func newStatusCommand(e *env) *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status [ID...] [--json] [--watch] [--start]",
		Short: "Show the state of runs: progress, why they wait, why they ended",
		Long: `Shows the state of each benchmark of a run: why it waits, what it is doing, or why it ended,
and what to do next. The answer combines what Slurm knows (one squeue call, and one sacct call
if there is accounting) with what the jobs wrote. For a running benchmark it includes how many
requests the engines have finished, their tokens per second, and how much of the telemetry the
backend has received.

` + idsHelp + `

The state of a run is the first of these that any of its benchmarks is in: running, queued,
failed, cancelled, unknown, succeeded. The exit code is 0 whatever the state; to get the run's
own result as an exit code, use gym-submit wait.`,
		Example: `  gym-submit status
  gym-submit status c0ffee --watch
  gym-submit status 4711 --json`,
		ValidArgsFunction: completeIDs(e),
		RunE: func(cmd *cobra.Command, args []string) error {
			records, err := e.records(args)
			switch {
			case err != nil:
				return err
			case o.watch && o.json:
				return usageError{errors.New("--watch shows tables for people: leave out --json, or call status --json as often as you like")}
			case o.watch:
				return watchStatus(cmd.Context(), e, records, o)
			}
			return printStatus(e, o.observe(cmd.Context(), e, records), o.json)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print the states as a JSON list with one element per run")
	cmd.Flags().BoolVar(&o.watch, "watch", false, "refresh every 5 seconds until everything has ended")
	cmd.Flags().BoolVar(&o.start, "start", false, "ask Slurm when it expects to start the queued jobs")
	return cmd
}

// statusOptions are the flags of status.
type statusOptions struct{ json, watch, start bool }

func (o statusOptions) observe(ctx context.Context, e *env, records []*run.Record) []status.Run {
	runs := observe(ctx, e, records)
	if o.start {
		for _, w := range status.EstimateStarts(ctx, runs) {
			e.talk("warning: %s", w)
		}
	}
	return runs
}

// observe looks at runs and passes on what could not be asked.
func observe(ctx context.Context, e *env, records []*run.Record) []status.Run {
	runs, warnings := status.Observe(ctx, e.hostOf, e.fresh(ctx, records))
	for _, w := range warnings {
		e.talk("warning: %s", w)
	}
	return runs
}

func printStatus(e *env, runs []status.Run, asJSON bool) error {
	if asJSON {
		return printJSON(e, runs)
	}
	_, err := io.WriteString(e.stdout, statusText(runs, e.paint()))
	return err
}

// watchStatus shows the states again and again: on a terminal in the same place, elsewhere
// whenever something has changed.
func watchStatus(ctx context.Context, e *env, records []*run.Record, o statusOptions) error {
	shown := ""
	for looks := 0; ; looks++ {
		runs := o.observe(ctx, e, records)
		if err := reachable(runs); err != nil && looks == 0 {
			return err
		}
		text := statusText(runs, e.paint())
		show := text
		switch {
		case isTerminal(e.stdout):
			show = "\x1b[H\x1b[2J" + text
		case text == shown:
			show = ""
		}
		if _, err := io.WriteString(e.stdout, show); err != nil {
			return err
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

// reachable is an error when a machine could not be asked. Who waits wants to know at once;
// later on it may come back.
func reachable(runs []status.Run) error {
	for _, r := range runs {
		if machine := r.Unreachable(); machine != "" {
			return fmt.Errorf("%s cannot be reached, and %s is there", machine, r.GymJobID)
		}
	}
	return nil
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
