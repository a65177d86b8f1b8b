// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package history finds earlier runs: in the local index, and by the words people use for them.
package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// History is the local index: one record for each run that was submitted from here.
type History struct {
	dir string
	// upstream is the index that `gym eval submit` keeps, empty for none.
	upstream string
	// none is why there is no index.
	none error
}

// Without has no index, for that reason: runs are named by their directories alone.
func Without(reason error) History { return History{none: reason} }

// New reads the index in dir.
func New(dir string) History { return History{dir: dir} }

// WithUpstream adds the runs that `gym eval submit` submitted from here.
func (h History) WithUpstream(dir string) History {
	h.upstream = dir
	return h
}

// MatchError says that words of the command line name no run, no benchmark or several.
type MatchError struct{ reason string }

func (e *MatchError) Error() string { return e.reason }

func mismatch(format string, args ...any) error { return &MatchError{fmt.Sprintf(format, args...)} }

// IDs lists the runs, newest first: an id begins with the time of its submission. Without an
// index there are none.
func (h History) IDs() ([]string, error) {
	if h.none != nil {
		return nil, h.none
	}
	ids, err := idsIn(h.dir)
	if err != nil {
		return nil, fmt.Errorf("read the local index: %w", err)
	}
	if h.upstream != "" {
		others, err := idsIn(h.upstream)
		if err != nil {
			return nil, fmt.Errorf("read the index of gym eval submit: %w", err)
		}
		ids = append(ids, others...)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return slices.Compact(ids), nil
}

// idsIn are the names of the records in a directory.
func idsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		id, isRecord := strings.CutSuffix(e.Name(), ".json")
		if isRecord && !strings.HasPrefix(id, ".") { // a file with a dot is still being written
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Record reads the record of one run.
func (h History) Record(id string) (*run.Record, error) {
	r, err := run.Read(filepath.Join(h.dir, id+".json"))
	if errors.Is(err, fs.ErrNotExist) && h.upstream != "" {
		return run.ReadUpstream(filepath.Join(h.upstream, id+".json"))
	}
	return r, err
}

// Records reads the newest runs, all of them when limit is 0. A record that cannot be read
// costs no other its place; it is among the problems.
func (h History) Records(limit int) (records []*run.Record, problems []error, err error) {
	ids, err := h.IDs()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		if limit > 0 && len(records) == limit {
			break
		}
		r, err := h.Record(id)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		records = append(records, r)
	}
	return records, problems, nil
}

// Newest is the run that was submitted last. When its record cannot be read it is no other one: who names no run is not
// to stop the run before it.
func (h History) Newest() (*run.Record, error) {
	records, problems, err := h.Records(1)
	switch {
	case err != nil:
		return nil, err
	case len(problems) > 0:
		return nil, fmt.Errorf("which run? That of the newest record is not known: %w\nName the run: `gym-submit list` shows them", problems[0])
	case len(records) == 1:
		return records[0], nil
	}
	return nil, mismatch("no run yet: %s lists none. Name a run's directory instead, if it was submitted elsewhere", h.dir)
}
