// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

func TestNewID(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	id := NewID(now)
	if !regexp.MustCompile(`^gym-job-20260102T020405Z-[0-9a-f]{6}$`).MatchString(id) {
		t.Errorf("id %s", id)
	}
	if NewID(now) == id {
		t.Error("two ids of one second are the same")
	}
}

func TestIndexDir(t *testing.T) {
	for _, c := range []struct{ state, home, want string }{
		{"/state", "/home/u", "/state/gym-submit/jobs"},
		{"", "/home/u", "/home/u/.local/state/gym-submit/jobs"},
		{"relative", "/home/u", "/home/u/.local/state/gym-submit/jobs"},
		{"", "", ""},
	} {
		got, err := IndexDir(func(name string) string {
			return map[string]string{"XDG_STATE_HOME": c.state, "HOME": c.home}[name]
		})
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("state %q, home %q: %s, %v", c.state, c.home, got, err)
		}
	}
}

func TestRecordSurvivesTheDisk(t *testing.T) {
	dir := t.TempDir()
	id, reason := "4711", "sbatch said no"
	r := &Record{GymJobID: "gym-job-x", RunDir: dir, SchemaVersion: 1, ExecutorMetadata: map[string]string{}, Benchmarks: []BenchmarkRecord{
		{Benchmark: "a", JobID: &id}, {Benchmark: "b", Error: &reason},
	}}
	index := filepath.Join(dir, "state", "jobs")
	if indexErr, err := r.Save(t.Context(), host.Local{}, index); indexErr != nil || err != nil {
		t.Fatal(indexErr, err)
	}
	read, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if failed := read.Failed(); len(failed) != 1 || failed[0] != "b" || *read.Benchmarks[0].JobID != id {
		t.Errorf("read back %+v", read)
	}
	indexed, err := os.ReadFile(filepath.Join(index, "gym-job-x.json"))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(filepath.Join(dir, RecordName))
	if err != nil || !bytes.Equal(stored, indexed) {
		t.Errorf("record and index differ (%v)", err)
	}
}

func TestMovedDirectory(t *testing.T) {
	old, moved := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "moved")
	for _, dir := range []string{old, moved} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := &Record{GymJobID: "gym-job-x", RunDir: old, SchemaVersion: 1, Benchmarks: []BenchmarkRecord{{Benchmark: "a", JobDir: filepath.Join(old, "a")}}}
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(moved, RecordName), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if read, err := Open(moved); err != nil || read.RunDir != old || read.MovedFrom != "" {
		t.Errorf("a copy: %+v, %v", read, err)
	}
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	read, err := Open(moved)
	if err != nil || read.RunDir != moved || read.MovedFrom != old || read.Benchmarks[0].JobDir != filepath.Join(moved, "a") {
		t.Errorf("moved: %+v, %v", read, err)
	}
}

func TestIndexTroubleIsNotFatal(t *testing.T) {
	dir := t.TempDir()
	r := &Record{GymJobID: "gym-job-x", RunDir: dir, SchemaVersion: 1}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	indexErr, err := r.Save(t.Context(), host.Local{}, filepath.Join(dir, "file", "jobs"))
	if indexErr == nil || err != nil {
		t.Errorf("index: %v, record: %v", indexErr, err)
	}
}

func TestOpenRefusesWhatItDoesNotKnow(t *testing.T) {
	for content, want := range map[string]string{
		`{"schema_version": 2}`: "newer gym-submit",
		`{}`:                    "no schema_version",
		`{`:                     "unexpected end",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, RecordName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", content, err, want)
		}
	}
}
