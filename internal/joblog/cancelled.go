// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A job that was cancelled in order ends as if its driver had failed. This note beside its
// logs tells the two apart.
func noteOf(jobDir, jobID string) string {
	return filepath.Join(jobDir, "logs", ".cancelled-"+jobID)
}

// NoteCancelled notes who cancelled a job.
func NoteCancelled(jobDir, jobID, by string) error {
	err := os.WriteFile(noteOf(jobDir, jobID), []byte(by+"\n"), 0o644) //nolint:gosec // as open as the logs beside it
	if err != nil {
		return fmt.Errorf("note who cancelled the job: %w", err)
	}
	return nil
}

// CancelledBy is who cancelled a job, empty when nobody noted it.
func CancelledBy(jobDir, jobID string) string {
	data, err := os.ReadFile(noteOf(jobDir, jobID))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
