// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// localJobsName is the command that `gym-submit -c FILE` continues as when compute is local.
const localJobsName = "run-local-jobs"

func newLocalJobsCommand(e *env) *cobra.Command {
	var (
		json, token bool
		only        []string
	)
	cmd := &cobra.Command{
		Use:    localJobsName + " JOB_DIR",
		Short:  "Run the staged jobs of a job directory on this machine (gym-submit calls it itself)",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLocalJobs(cmd.Context(), e, args[0], only, token, json)
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "run these benchmarks alone")
	cmd.Flags().BoolVar(&json, "json", false, "print the record as JSON when all jobs have ended")
	cmd.Flags().BoolVar(&token, "token", false, "read the token from descriptor 3")
	return cmd
}

func runLocalJobs(ctx context.Context, e *env, dir string, only []string, token, json bool) error {
	local.CloseMemory()
	local.SurviveBrokenPipes()
	record, err := run.Open(dir)
	if err != nil {
		return err
	}
	runner := local.Runner{
		Record: record,
		Only:   only,
		Save: func(r *run.Record) error {
			_, err := save(ctx, e, r)
			return err
		},
		Output: e.stderr,
	}
	if token {
		if err := runner.ReadToken(); err != nil {
			return err
		}
	}
	e.talk("Run directory: %s", record.RunDir)
	code := runner.Run()
	if err := printRecord(e, record, json); err != nil {
		e.talk("warning: print the record: %v", err) // the code stays the driver's
	}
	if code != 0 {
		return exitError{code}
	}
	return nil
}
