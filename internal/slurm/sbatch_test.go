// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

func TestParseJobID(t *testing.T) {
	for output, want := range map[string]string{
		"4711\n":                       "4711",
		"4711;cluster\n":               "4711",
		"plugin: be nice 99\n4711\n":   "4711",
		"":                             "",
		"Submitted batch job\n":        "",
		"4711 was refused: no account": "",
		"sbatch: error: 4712x\n":       "",
	} {
		if got, ok := parseJobID(output); got != want || ok != (want != "") {
			t.Errorf("parseJobID(%q) = %q, %t, want %q", output, got, ok, want)
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
esac`
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, c := range []struct{ script, id, reason string }{
		{"aime", "4711", ""},
		{"bad", "", "code 1: sbatch: error: invalid partition"},
		{"quiet", "", "printed no job id: sbatch: a plugin says hello"},
		{"gpqa", "4712", ""},
	} {
		id, err := Sbatch(t.Context(), host.Local{}, c.script, nil, nil)
		if id != c.id {
			t.Errorf("%s: id %q, want %q", c.script, id, c.id)
		}
		if (err != nil) != (c.reason != "") || (err != nil && !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%s: %v, want %q", c.script, err, c.reason)
		}
	}
}

func TestSbatchMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Sbatch(t.Context(), host.Local{}, "job.sh", nil, nil); err == nil || !strings.Contains(err.Error(), "run sbatch") {
		t.Errorf("without sbatch: %v", err)
	}
}
