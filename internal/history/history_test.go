// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

const (
	oldest = "gym-job-20260101T000000Z-00aa11"
	middle = "gym-job-20260102T000000Z-00bb22"
	newest = "gym-job-20260102T000001Z-c0ffee"
)

// index holds three runs; job 4711 is the oldest's.
func index(t *testing.T) History {
	t.Helper()
	dir := t.TempDir()
	for id, job := range map[string]string{oldest: "4711", middle: "00", newest: "9"} {
		r := &run.Record{
			GymJobID: id, RunDir: t.TempDir(), SchemaVersion: 1,
			Benchmarks: []run.BenchmarkRecord{{Benchmark: "gpqa", JobID: &job}, {Benchmark: "c0", Error: &job}},
		}
		if indexErr, err := r.Save(t.Context(), host.Local{}, dir); indexErr != nil || err != nil {
			t.Fatal(indexErr, err)
		}
	}
	for _, name := range []string{".gym-job-half-written.json", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return New(dir)
}

func TestLookup(t *testing.T) {
	h := index(t)
	for word, want := range map[string]string{
		newest:                     newest,
		"gym-job-20260101":         oldest,
		"20260102T000001":          newest,
		"c0ff":                     newest,
		"00b":                      middle,
		"4711":                     oldest, // a job's id
		"9":                        newest,
		"gym-job-20260102T000000Z": middle,
	} {
		r, err := h.Lookup(word)
		if err != nil || r.GymJobID != want {
			t.Errorf("%s: %v, %v, want %s", word, r, err, want)
		}
	}
	again := &run.Record{GymJobID: middle, RunDir: t.TempDir(), SchemaVersion: 1, Benchmarks: []run.BenchmarkRecord{{Benchmark: "gpqa", PreviousJobIDs: []string{"2026"}}}}
	if indexErr, err := again.Save(t.Context(), host.Local{}, h.dir); indexErr != nil || err != nil {
		t.Fatal(indexErr, err)
	}
	if r, err := h.Lookup("2026"); err != nil || r.GymJobID != middle {
		t.Errorf("the id of a job that is the beginning of a time: %v, %v", r, err)
	}
	for word, want := range map[string]string{
		"nope":             "there is no run nope",
		"gym":              "there is no run gym",
		"":                 "there is no run",
		"471":              "there is no run 471", // ids of jobs are not shortened
		"20260":            "20260 stands for 3 runs: " + newest + ", " + middle + ", " + oldest,
		"00":               "00 stands for 2 runs",
		"./nowhere":        "./nowhere is no run's directory",
		"../../etc/passwd": "is no run's directory",
	} {
		_, err := h.Lookup(word)
		if mismatch := (*MatchError)(nil); !errors.As(err, &mismatch) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", word, err, want)
		}
	}
}

func TestSelect(t *testing.T) {
	h := index(t)
	for words, want := range map[string]string{
		"":                 newest + " all ",
		"gpqa":             newest + " gpqa ",
		"gpqa driver":      newest + " gpqa driver",
		"00a":              oldest + " all ",
		"00a gpqa":         oldest + " gpqa ",
		"00a gpqa job":     oldest + " gpqa job",
		newest + " c0":     newest + " c0 ",
		newest + " c0 job": newest + " c0 job",
	} {
		s, err := h.Select(strings.Fields(words))
		if err != nil {
			t.Errorf("%q: %v", words, err)
			continue
		}
		name := "all"
		if s.Benchmark != nil {
			name = s.Benchmark.Benchmark
		}
		if got := s.Record.GymJobID + " " + name + " " + strings.Join(s.Rest, " "); got != want {
			t.Errorf("%q is %q, want %q", words, got, want)
		}
	}
	for words, want := range map[string]string{
		"c0":       "c0 is both a benchmark of the newest run and short for the run " + newest,
		"x":        "x is no benchmark of the newest run " + newest + " either (gpqa, c0)",
		"00a gpq":  "gpq is no benchmark of " + oldest + ", which has: gpqa, c0",
		"2026":     "stands for 3 runs",
		"nope job": "there is no run nope",
	} {
		if s, err := h.Select(strings.Fields(words)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", words, s, err, want)
		}
	}
}

// Who names no run must not get the run before the newest one, which cancel would stop.
func TestNewestCannotBeRead(t *testing.T) {
	h := index(t)
	if err := os.WriteFile(filepath.Join(h.dir, "gym-job-20260103T000000Z-dddddd.json"), []byte(`{"gym_job_id": "gym-`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{nil, {"gpqa"}} {
		if s, err := h.Select(words); err == nil || !strings.Contains(err.Error(), "dddddd.json") || !strings.Contains(err.Error(), "Name the run") {
			t.Errorf("%v: %+v, %v", words, s, err)
		}
	}
	if s, err := h.Select([]string{newest, "gpqa"}); err != nil || s.Record.GymJobID != newest {
		t.Errorf("%+v, %v", s, err)
	}
}

// Without a home directory a run can still be named by its directory.
func TestNamedByDirectory(t *testing.T) {
	h := index(t)
	r, err := h.Newest()
	if err != nil {
		t.Fatal(err)
	}
	none := Without(errors.New("no home"))
	if s, err := none.Select([]string{r.RunDir, "gpqa"}); err != nil || s.Benchmark == nil {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := none.Newest(); err == nil || err.Error() != "no home" {
		t.Error(err)
	}
	t.Chdir(filepath.Dir(r.RunDir))
	if got, err := h.Lookup(filepath.Base(r.RunDir)); err != nil || got.GymJobID != newest {
		t.Errorf("a directory here: %v, %v", got, err)
	}
}

func TestWithoutAnIndex(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "nowhere"))
	if ids, err := h.IDs(); err != nil || len(ids) != 0 {
		t.Errorf("%v, %v", ids, err)
	}
	if _, err := h.Newest(); err == nil || !strings.Contains(err.Error(), "no run yet") {
		t.Error(err)
	}
	if _, err := h.Select([]string{"gpqa"}); err == nil || !strings.Contains(err.Error(), "there is no run gpqa") {
		t.Error(err)
	}
}
