// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

func newListCommand(e *env) *cobra.Command {
	var (
		limit  int
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "list [--limit N] [--json]",
		Short: "List the runs submitted from here, newest first",
		Long: `Lists the runs that you submitted from this machine, newest first, including those that
gym eval submit recorded in $XDG_CACHE_HOME/nemo-gym/jobs. Reads only the local index; to ask
the scheduler, use gym-submit status.`,
		Example: `  gym-submit list
  gym-submit list --limit 0 --json`,
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if limit < 0 {
				return usageError{errors.New("--limit must not be negative; 0 lists all")}
			}
			return list(e, limit, asJSON)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "number of runs to list, 0 for all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the records as JSON")
	return cmd
}

func list(e *env, limit int, asJSON bool) error {
	records, problems, err := e.history().Records(limit)
	if err != nil {
		return err
	}
	for _, p := range problems {
		e.talk("warning: %v", p)
	}
	if asJSON {
		return printJSON(e, append([]*run.Record{}, records...)) // [] rather than null
	}
	if len(records) == 0 {
		e.talk("no runs have been submitted from this machine yet")
		return nil
	}
	out := e.table()
	fmt.Fprintln(out, "ID\tSUBMITTED\tCLUSTER\tEXECUTOR\tBENCHMARKS")
	for _, r := range records {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", r.GymJobID, when(r.SubmittedAt), r.Cluster, r.Executor, benchmarkNames(r))
	}
	return out.Flush()
}

// when writes the time of a record for people.
func when(submittedAt string) string { return strings.Replace(submittedAt, "T", " ", 1) }

func benchmarkNames(r *run.Record) string { return strings.Join(benchmarksOf(r), ",") }
