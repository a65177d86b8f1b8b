// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

func stagePlan(t *testing.T, parent string) *Plan {
	t.Helper()
	plan := planOf(t, "testdata/files/3-two-engines-three-benchmarks.yaml")
	plan.Dir = filepath.Join(parent, plan.ID)
	return plan
}

func TestStageModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	parent := filepath.Join(t.TempDir(), "not", "yet", "there")
	plan := stagePlan(t, parent)
	if err := plan.Stage(t.Context(), host.Local{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		"":                         0o755,
		"resolved-config.yaml":     0o600,
		"gpqa":                     0o755,
		"gpqa/job.sh":              0o600,
		"gpqa/logs":                0o755,
		"gpqa/artifacts":           0o755,
		"gpqa/otel":                0o700,
		"gpqa/otel/collector.yaml": 0o600,
	} {
		info, err := os.Stat(filepath.Join(plan.Dir, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(parent, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What exists is never touched.
func TestStageKeepsWhatIsThere(t *testing.T) {
	parent := t.TempDir()
	plan := stagePlan(t, parent)
	if err := os.MkdirAll(filepath.Join(plan.Dir, "precious"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := plan.Stage(t.Context(), host.Local{}); err == nil || !strings.Contains(err.Error(), "stage the run") {
		t.Errorf("staged over a directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(plan.Dir, "precious")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(parent, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
