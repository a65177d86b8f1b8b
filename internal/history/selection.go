// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Selection is what the words [ID] [BENCHMARK] of a command line stand for.
type Selection struct {
	Record *run.Record
	// Benchmark is the one that was named, nil when none was.
	Benchmark *run.BenchmarkRecord
	// Rest are the words behind.
	Rest []string
}

// Benchmarks are those that the selection speaks of: the named one, or all of the run.
func (s Selection) Benchmarks() []run.BenchmarkRecord {
	if s.Benchmark != nil {
		return []run.BenchmarkRecord{*s.Benchmark}
	}
	return s.Record.Benchmarks
}

// Select reads [ID] [BENCHMARK]. Without an ID it is the newest run; so a first word may be
// the name of one of its benchmarks.
func (h History) Select(words []string) (Selection, error) {
	if len(words) == 0 {
		newest, err := h.Newest()
		return Selection{Record: newest}, err
	}
	newest, newestErr := h.Newest()
	record, lookupErr := h.Lookup(words[0])
	isBenchmark := newestErr == nil && Benchmark(newest, words[0]) != nil
	switch {
	case isBenchmark && lookupErr == nil:
		return Selection{}, mismatch("%s is both a benchmark of the newest run and short for the run %s: write more of the run's id, or the id before the benchmark",
			words[0], record.GymJobID)
	case isBenchmark:
		return Selection{newest, Benchmark(newest, words[0]), words[1:]}, nil
	case lookupErr != nil && newestErr == nil:
		return Selection{}, mismatch("%v\n%s is no benchmark of the newest run %s either (%s)", lookupErr, words[0], newest.GymJobID, names(newest))
	case lookupErr != nil && !isMismatch(newestErr):
		return Selection{}, fmt.Errorf("%w\n%w", lookupErr, newestErr)
	case lookupErr != nil:
		return Selection{}, lookupErr
	case len(words) == 1:
		return Selection{Record: record}, nil
	}
	b := Benchmark(record, words[1])
	if b == nil {
		return Selection{}, mismatch("%s is no benchmark of %s, which has: %s", words[1], record.GymJobID, names(record))
	}
	return Selection{record, b, words[2:]}, nil
}

func isMismatch(err error) bool {
	_, ok := errors.AsType[*MatchError](err)
	return ok
}

// Benchmark is the benchmark of that name, nil when the run has none.
func Benchmark(r *run.Record, name string) *run.BenchmarkRecord {
	i := slices.IndexFunc(r.Benchmarks, func(b run.BenchmarkRecord) bool { return b.Benchmark == name })
	if i < 0 {
		return nil
	}
	return &r.Benchmarks[i]
}

func names(r *run.Record) string {
	var all []string
	for _, b := range r.Benchmarks {
		all = append(all, b.Benchmark)
	}
	return strings.Join(all, ", ")
}
