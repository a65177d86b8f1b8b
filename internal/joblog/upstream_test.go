// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// The logs that upstream's scripts leave: the batch script's beside the directory of the others.
func TestUpstreamsLogs(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		steps []string
	}{
		"with ids": {
			[]string{"logs/policy-12.log", "logs/driver-12.log", "logs/otel_collector-12.log", "logs/driver-11.log", "slurm-12.out", "slurm-11.out"},
			[]string{Job, Collector, "policy", Driver},
		},
		"without ids": {
			[]string{"logs/policy.log", "logs/driver.log", "logs/judge-8b.log", "slurm-12.out"},
			[]string{Job, "judge-8b", "policy", Driver},
		},
		"before its first step": {[]string{"logs/.keep", "slurm-12.out"}, []string{Job}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, f := range c.files {
				if err := os.WriteFile(filepath.Join(dir, f), []byte(f), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := Steps(t.Context(), host.Local{}, dir, "12"); !slices.Equal(got, c.steps) {
				t.Errorf("steps %q, want %q", got, c.steps)
			}
			for _, step := range c.steps {
				text, err := os.ReadFile(Path(dir, step, "12"))
				if err != nil || !slices.Contains(c.files, string(text)) {
					t.Errorf("the log of %s: %q, %v", step, text, err)
				}
			}
			story := Read(t.Context(), host.Local{}, dir, "12")
			if !story.Began || story.Stopping() || story.At() != "it runs; its script does not say how far it is" {
				t.Errorf("the story is %+v", story)
			}
		})
	}
}
