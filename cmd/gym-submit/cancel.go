// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/cancellation"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

func newCancelCommand(e *env) *cobra.Command {
	var (
		yes, asJSON bool
		limit       time.Duration
	)
	cmd := &cobra.Command{
		Use:   "cancel [ID] [BENCHMARK] [--yes]",
		Short: "Stop a run, or one benchmark of it, gracefully",
		Long: `Removes queued jobs from the queue and shuts running ones down in order: first the driver
stops, then the collector scrapes the final counters and sends what it has, then the
services stop. The command waits until all jobs have ended. Jobs that take longer than
--limit are killed, which loses their last counters.

` + idsHelp + `

Cancelling a whole run asks for confirmation; without a terminal, --yes is required.`,
		Example: `  gym-submit cancel
  gym-submit cancel gpqa
  gym-submit cancel c0ffee gpqa
  gym-submit cancel c0ffee --yes`,
		Args:              atMost(2),
		ValidArgsFunction: completeSelection(e, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return usageError{errors.New("--limit must not be negative; 0 ends by force at once")}
			}
			s, err := e.selection(args)
			switch {
			case err != nil:
				return err
			case len(s.Rest) > 0:
				return usageError{fmt.Errorf("cancel stops a whole run or one benchmark: %q is one word too many", s.Rest[0])}
			}
			return cancel(cmd.Context(), e, s, limit, yes, asJSON)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation before stopping a whole run")
	cmd.Flags().DurationVar(&limit, "limit", cancellation.Limit, "how long the graceful shutdown may take before jobs are killed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the final state of the run as JSON")
	return cmd
}

func cancel(ctx context.Context, e *env, s history.Selection, limit time.Duration, yes, asJSON bool) error {
	if err := here(s.Record, "cancel"); err != nil {
		return err
	}
	s.Record = e.freshOf(ctx, s.Record)
	before := observe(ctx, e, []*run.Record{part(s)})[0]
	if before.Over() {
		e.talk("nothing to stop: everything has already ended")
		return afterCancel(e, s, observe(ctx, e, []*run.Record{s.Record})[0], asJSON)
	}
	if err := cancellable(s, before); err != nil {
		return err
	}
	if s.Benchmark == nil && !yes {
		if err := confirm(e, before); err != nil {
			return err
		}
	}
	c := cancellation.Cancellation{
		Record: s.Record, Benchmark: s.Benchmark, By: e.submitter().User, Limit: limit, Say: e.talk,
		Reload: e.freshOf, Host: e.hostOf(s.Record),
	}
	stopping, done := untilInterrupted(ctx)
	defer done()
	err := c.Run(stopping)
	switch {
	case err != nil && stopping.Err() != nil:
		e.talk("Interrupted. The shutdown already requested continues, but jobs that hang will not be killed. To see its state: gym-submit status %s", s.Record.GymJobID)
		return exitError{exitInterrupted}
	case err != nil:
		return fmt.Errorf("cancel %s: %w", s.Record.GymJobID, err)
	}
	return afterCancel(e, s, observe(ctx, e, []*run.Record{s.Record})[0], asJSON)
}

// afterCancel prints how the whole run is: its state is not that of a part.
func afterCancel(e *env, s history.Selection, now status.Run, asJSON bool) error {
	if err := printStatus(e, []status.Run{now}, asJSON); err != nil {
		return err
	}
	left := slices.DeleteFunc(now.Unfinished(), func(name string) bool {
		return s.Benchmark != nil && s.Benchmark.Benchmark != name
	})
	if len(left) > 0 {
		return fmt.Errorf("not ended all the same: %s. Look again with gym-submit status %s", strings.Join(left, ", "), s.Record.GymJobID)
	}
	return nil
}

// part is the record with the benchmarks that the selection speaks of.
func part(s history.Selection) *run.Record {
	if s.Benchmark == nil {
		return s.Record
	}
	return only(s.Record, s.Benchmark.Benchmark)
}

// cancellable refuses the one thing that cannot be had: a local benchmark out of the middle.
func cancellable(s history.Selection, now status.Run) error {
	if s.Benchmark != nil && s.Record.Executor == config.ComputeLocal && now.State == status.Queued {
		return fmt.Errorf("%s has not begun, and local benchmarks run one after another: stop the whole run with gym-submit cancel %s",
			s.Benchmark.Benchmark, s.Record.GymJobID)
	}
	return nil
}

func confirm(e *env, r status.Run) error {
	names := strings.Join(r.Unfinished(), ", ")
	if !isTerminal(e.stdin) {
		return usageError{fmt.Errorf("this would stop the whole run %s (%s): say --yes, or name one benchmark", r.GymJobID, names)}
	}
	fmt.Fprintf(e.stderr, "Stop the whole run %s (%s)? [y/N] ", r.GymJobID, names)
	answer, _ := bufio.NewReader(e.stdin).ReadString('\n')
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return errors.New("nothing was stopped")
	}
	return nil
}
