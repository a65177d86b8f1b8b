// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// offered is how many runs completion reads and offers.
const offered = 50

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeIDs offers run ids that are not yet on the line.
func completeIDs(e *env) completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, r := range e.recent() {
			if !slices.Contains(args, r.GymJobID) {
				words = append(words, describe(r))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// recent are the runs to offer; completion has no place for an error.
func (e *env) recent() []*run.Record {
	h, err := e.history()
	if err != nil {
		return nil
	}
	records, _, _ := h.Records(offered)
	return records
}

func describe(r *run.Record) string {
	return cobra.CompletionWithDesc(r.GymJobID, fmt.Sprintf("%s, %s", r.Cluster, benchmarkNames(r)))
}

// noArgs refuses words behind a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no %q\nSee: %s --help", cmd.Name(), args[0], cmd.CommandPath())}
	}
	return nil
}
