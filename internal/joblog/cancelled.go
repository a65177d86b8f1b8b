// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// A job that was cancelled in order ends as if its driver had failed. This note beside its
// logs tells the two apart.
func noteOf(jobDir, jobID string) string {
	return filepath.Join(jobDir, "logs", ".cancelled-"+jobID)
}

// NoteCancelled notes who cancelled a job.
func NoteCancelled(ctx context.Context, h host.Host, jobDir, jobID, by string) error {
	if err := h.Write(ctx, noteOf(jobDir, jobID), []byte(by+"\n"), 0o644); err != nil { // as open as the logs beside it
		return fmt.Errorf("note who cancelled the job: %w", err)
	}
	return nil
}

// CancelledBy is who cancelled a job, empty when nobody noted it.
func CancelledBy(ctx context.Context, h host.Host, jobDir, jobID string) string {
	data, err := host.ReadFile(ctx, h, noteOf(jobDir, jobID))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
