// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

func TestJobIDs(t *testing.T) {
	for output, want := range map[string][]string{
		"4711\n":                                     {"4711"},
		"4711;cluster\r\n":                           {"4711"},
		"plugin: be nice 99\n4711\n":                 {"4711"},
		"4711\nplugin: 42 warnings\n":                {"4711"},
		"4711\nyour balance is 500\n":                {"4711"},
		"4711\n4711\n":                               {"4711"},
		"4711\n17\n":                                 {"4711", "17"},
		"Submitted batch job 4711\n":                 {"4711"},
		"Submitted batch job 4711 on cluster east\n": {"4711"},
		"":                             nil,
		"0\n":                          nil,
		"-5\n":                         nil,
		"4711_3\n":                     nil,
		"99999999999999999999\n":       nil,
		"Submitted batch job\n":        nil,
		"4711 was refused: no account": nil,
		"sbatch: error: 4712x\n":       nil,
	} {
		if got := jobIDs(output); !slices.Equal(got, want) {
			t.Errorf("jobIDs(%q) = %q, want %q", output, got, want)
		}
	}
}

// One refused script must not shift the ids of the others.
func TestSbatchKeepsResultsApart(t *testing.T) {
	dir := t.TempDir()
	fake := `#!/bin/sh
case "$2" in
  aime) echo 4711 ;;
  bad) echo "sbatch: error: invalid partition" >&2; exit 1 ;;
  quiet) echo "sbatch: a plugin says hello" >&2 ;;
  gpqa) echo "warning of a plugin 1"; echo "4712;east" ;;
  two) echo 4713; echo 17 ;;
  torn) echo 4714; exit 1 ;;
  killed) kill -9 $$ ;;
  only) echo "no credits left"; exit 1 ;;
  behind) sleep 30 & echo 4715 ;;
esac`
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, c := range []struct {
		script, id, reason string
		unclear            bool
	}{
		{"aime", "4711", "", false},
		{"bad", "", "code 1: sbatch: error: invalid partition", false},
		{"quiet", "", "printed no job id: sbatch: a plugin says hello", true},
		{"gpqa", "4712", "", false},
		{"two", "", "printed more than one job id: 4713; 17", true},
		{"torn", "", "code 1: 4714", true},
		{"killed", "", "was killed", true},
		{"only", "", "code 1: no credits left", false},
		{"behind", "4715", "", false},
	} {
		id, err := Sbatch(t.Context(), host.Local{}, c.script, nil, nil)
		if id != c.id {
			t.Errorf("%s: id %q, want %q", c.script, id, c.id)
		}
		if (err != nil) != (c.reason != "") || (err != nil && !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%s: %v, want %q", c.script, err, c.reason)
		}
		if errors.Is(err, ErrUnclear) != c.unclear {
			t.Errorf("%s: %v: unclear is not %t", c.script, err, c.unclear)
		}
	}
}

func TestSbatchMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Sbatch(t.Context(), host.Local{}, "job.sh", nil, nil); err == nil || !strings.Contains(err.Error(), "run sbatch") {
		t.Errorf("without sbatch: %v", err)
	}
}
