// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// prefix of every id; people leave it out.
const prefix = "gym-job-"

// Lookup finds a run by its id, the beginning of its id (with or without gym-job-), the
// beginning of its last six digits, the id of one of its jobs, or its directory.
func (h History) Lookup(word string) (*run.Record, error) {
	if strings.Contains(word, "/") || word == "." || word == ".." {
		return open(word)
	}
	ids, err := h.IDs()
	if err != nil {
		return nil, err
	}
	found := matching(ids, word)
	if !slices.Contains(found, word) {
		jobs := h.withJob(ids, word)
		if len(jobs) > 0 { // a whole number is more than the first digits of a time
			found = slices.DeleteFunc(found, func(id string) bool { return !strings.HasPrefix(Short(id), word) })
		}
		found = append(found, jobs...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	slices.Reverse(found) // newest first
	switch len(found) {
	case 0:
		if _, err := os.Stat(filepath.Join(word, run.RecordName)); err == nil && word != "" {
			return open(word)
		}
		return nil, mismatch("there is no run %s: `gym-submit list` shows the runs submitted from here", word)
	case 1:
		return h.Record(found[0])
	}
	return nil, mismatch("%s stands for %d runs: %s. Write more of the id", word, len(found), some(found))
}

func open(dir string) (*run.Record, error) {
	r, err := run.Open(dir)
	if err != nil {
		return nil, mismatch("%s is no run's directory: %v", dir, err)
	}
	return r, nil
}

// Short is the end of an id, which is enough to name a run.
func Short(id string) string { return id[strings.LastIndexByte(id, '-')+1:] }

// matching are the ids that word may stand for; a whole id stands for itself alone. A part of what all ids begin with
// stands for none, or a benchmark that is called gym would be mistaken for a run.
func matching(ids []string, word string) []string {
	var found []string
	for _, id := range ids {
		if id == word {
			return []string{id}
		}
		random := Short(id)
		if word != "" && (len(word) >= len(prefix) && strings.HasPrefix(id, word) || strings.HasPrefix(id, prefix+word) || strings.HasPrefix(random, word)) {
			found = append(found, id)
		}
	}
	return found
}

// withJob are the runs that had a job of this id. Only what looks like one is worth reading
// all records for.
func (h History) withJob(ids []string, word string) []string {
	if strings.Trim(word, "0123456789") != "" && !strings.HasPrefix(word, "local-") {
		return nil
	}
	var found []string
	for _, id := range ids {
		r, err := h.Record(id)
		if err != nil {
			continue
		}
		for _, b := range r.Benchmarks {
			if b.JobID != nil && *b.JobID == word || slices.Contains(b.PreviousJobIDs, word) {
				found = append(found, id)
			}
		}
	}
	return found
}

// some names the first few and says how many more there are.
func some(names []string) string {
	const few = 5
	if len(names) > few {
		return strings.Join(names[:few], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
