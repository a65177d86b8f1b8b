// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

func newWaitCommand(e *env) *cobra.Command {
	var (
		w      waiting
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "wait [ID...] [--timeout D] [--fail-fast] [--json]",
		Short: "Wait for runs to end and exit with their result",
		Long: `Waits until every benchmark of the runs has ended, then prints their final states.

` + idsHelp + `

Exit codes: 0 if every benchmark ended with 0; otherwise the first other code, in the order of
the runs and their benchmarks. A benchmark that has no exit code, because it never started or
was killed, counts as 1, and so does one that was stopped before its driver was done. The exit
code is also 1 after --timeout and 130 after Ctrl-C. In both cases the jobs keep running, and so
do the others when --fail-fast returns; to stop them, use gym-submit cancel.`,
		Example: `  gym-submit -c run.yaml && gym-submit wait
  gym-submit wait c0ffee --timeout 12h
  gym-submit wait --fail-fast || gym-submit cancel --yes`,
		ValidArgsFunction: completeIDs(e),
		RunE: func(cmd *cobra.Command, args []string) error {
			if w.timeout < 0 {
				return usageError{errors.New("--timeout must not be negative; 0 waits as long as it takes")}
			}
			records, err := e.records(args)
			if err != nil {
				return err
			}
			for _, r := range records {
				if err := here(r, "wait"); err != nil {
					return err
				}
			}
			return w.run(cmd.Context(), e, records, asJSON)
		},
	}
	cmd.Flags().DurationVar(&w.timeout, "timeout", 0, "stop waiting after this time, such as 90m or 12h; 0 means no limit")
	cmd.Flags().BoolVar(&w.failFast, "fail-fast", false, "return as soon as one benchmark has failed or was cancelled")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the states as a JSON list with one element per run")
	return cmd
}

// waiting is how long to wait.
type waiting struct {
	timeout  time.Duration // 0: as long as it takes
	failFast bool
}

// run waits, prints how the runs are then, and ends with their result.
func (w waiting) run(ctx context.Context, e *env, records []*run.Record, asJSON bool) error {
	waitCtx, done := untilInterrupted(ctx)
	defer done()
	runs, err := w.await(waitCtx, e, records)
	if err != nil && waitCtx.Err() != nil {
		return interruptedWait(e, records)
	}
	if err != nil {
		return err
	}
	if err := printStatus(e, runs, asJSON); err != nil {
		return err
	}
	return result(runs)
}

// interruptedWait says what a Ctrl-C did not do.
func interruptedWait(e *env, records []*run.Record) error {
	var ids []string
	for _, r := range records {
		ids = append(ids, r.GymJobID)
	}
	e.talk("Interrupted; the jobs keep running. To wait again: gym-submit wait %s", strings.Join(ids, " "))
	for _, id := range ids {
		e.talk("To stop them: gym-submit cancel %s", id)
	}
	return exitError{exitInterrupted}
}

// await looks often at first and every ten seconds later: each look is a call to the
// controller that all users share.
func (w waiting) await(ctx context.Context, e *env, records []*run.Record) ([]status.Run, error) {
	began := time.Now()
	said := ""
	for pause, first := 500*time.Millisecond, true; ; pause, first = min(pause*3/2, 10*time.Second), false {
		runs, warnings := status.Observe(ctx, e.hostOf, e.fresh(ctx, records))
		if ctx.Err() != nil { // what it interrupted is no news
			return nil, ctx.Err()
		}
		if text := strings.Join(warnings, "; "); text != "" && text != said {
			e.talk("warning: %s", text)
			said = text
		}
		if err := reachable(runs); err != nil && first {
			return nil, err
		}
		left := unfinished(runs)
		switch bad := unsuccessful(runs); {
		case left == "":
			return runs, nil
		case w.failFast && len(bad) > 0:
			e.talk("%s did not succeed; not finished yet: %s", strings.Join(bad, ", "), left)
			return runs, nil
		}
		if w.timeout > 0 {
			remaining := w.timeout - time.Since(began)
			if remaining <= 0 {
				return nil, fmt.Errorf("not ended within %v: %s", w.timeout, left)
			}
			pause = min(pause, remaining)
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

func unfinished(runs []status.Run) string {
	var left []string
	for _, r := range runs {
		if names := r.Unfinished(); len(names) > 0 {
			left = append(left, r.GymJobID+" ("+strings.Join(names, ", ")+")")
		}
	}
	return strings.Join(left, ", ")
}

// unsuccessful names the benchmarks that ended otherwise than with success.
func unsuccessful(runs []status.Run) []string {
	var names []string
	for _, r := range runs {
		for _, j := range r.Benchmarks {
			if j.Over() && j.State != status.Succeeded {
				names = append(names, j.Benchmark)
			}
		}
	}
	return names
}

func result(runs []status.Run) error {
	for _, r := range runs {
		if code := r.Result(); code != 0 {
			return exitError{code}
		}
	}
	return nil
}
