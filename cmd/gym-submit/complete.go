// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// offered is how many runs completion reads and offers.
const offered = 50

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeIDs offers run ids that are not yet on the line.
func completeIDs(e *env) completion {
	return func(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, r := range e.recent() {
			if !slices.Contains(args, r.GymJobID) {
				words = append(words, describe(r, toComplete))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// recent are the runs to offer; completion has no place for an error.
func (e *env) recent() []*run.Record {
	records, _, _ := e.history().Records(offered)
	return records
}

// describe offers the id in the form that was begun: whole, or its last six characters.
func describe(r *run.Record, toComplete string) string {
	id := r.GymJobID
	if short := history.Short(id); toComplete != "" && strings.HasPrefix(short, toComplete) {
		id = short
	}
	return cobra.CompletionWithDesc(id, fmt.Sprintf("%s, %s", r.Cluster, benchmarkNames(r)))
}

// completeSelection offers [ID] [BENCHMARK], and behind them, if wanted, the steps that have
// a log.
func completeSelection(e *env, steps bool) completion {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		const nothing = cobra.ShellCompDirectiveNoFileComp
		if len(args) == 0 {
			words, directive := completeIDs(e)(cmd, args, toComplete)
			if recent := e.recent(); len(recent) > 0 {
				words = append(benchmarksOf(recent[0]), words...)
			}
			return words, directive
		}
		s, err := e.selection(args)
		switch {
		case err != nil || len(s.Rest) > 0:
			return nil, nothing
		case s.Benchmark == nil:
			return benchmarksOf(s.Record), nothing
		case steps && s.Benchmark.JobID != nil && s.Record.Machine() == "": // a key press connects to nowhere
			return joblog.Steps(cmd.Context(), host.Local{}, s.Benchmark.JobDir, *s.Benchmark.JobID), nothing
		}
		return nil, nothing
	}
}

// completeOverrides offers the keys that key=value can change, with the names that the files
// on the line give.
func completeOverrides(f *submitFile) completion {
	return func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		const nothing = cobra.ShellCompDirectiveNoFileComp
		if strings.Contains(toComplete, "=") {
			return nil, nothing // values are the user's
		}
		var words []string
		for _, key := range config.OverrideKeys(f.readable()) {
			if strings.HasPrefix(key, toComplete) {
				words = append(words, key+"=")
			}
		}
		return words, nothing | cobra.ShellCompDirectiveNoSpace
	}
}

// completeBenchmarks offers the benchmarks of the files on the line, for a list with commas.
func completeBenchmarks(f *submitFile) completion {
	return func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		before := toComplete[:strings.LastIndexByte(toComplete, ',')+1]
		var words []string
		for _, name := range config.BenchmarkNames(f.readable()) {
			if !slices.Contains(strings.Split(before, ","), name) {
				words = append(words, before+name)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// readable are the files that can be read; completion has no place for an error.
func (f *submitFile) readable() []config.Source {
	var sources []config.Source
	for _, path := range f.paths {
		if data, err := config.ReadFile(path); err == nil {
			sources = append(sources, config.Source{Name: path, Data: data})
		}
	}
	return sources
}

func benchmarksOf(r *run.Record) []string {
	var names []string
	for _, b := range r.Benchmarks {
		names = append(names, b.Benchmark)
	}
	return names
}

// noArgs refuses words behind a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no %q\nSee: %s --help", cmd.Name(), args[0], cmd.CommandPath())}
	}
	return nil
}
