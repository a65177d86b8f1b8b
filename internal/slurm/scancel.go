// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// CancelPending takes jobs out of the queue, and only those that have not begun meanwhile.
func CancelPending(ctx context.Context, h host.Host, ids []string) error {
	return scancel(ctx, h, ids, "--state=PENDING")
}

// Stop asks the batch scripts of running jobs for their orderly end, and nothing else of the
// jobs.
func Stop(ctx context.Context, h host.Host, ids []string) error {
	return scancel(ctx, h, ids, "--batch", "--signal=USR1")
}

// Cancel ends jobs the short way: everything in them is signalled at once.
func Cancel(ctx context.Context, h host.Host, ids []string) error { return scancel(ctx, h, ids) }

// scancel serves all ids in one call. A job that ended before the call came is no error: it
// is what was wanted.
func scancel(ctx context.Context, h host.Host, ids []string, options ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := output(ctx, h, "scancel", append(options, ids...)...)
	if err != nil && overtaken(err.Error()) {
		return nil
	}
	return err
}

// overtaken are complaints about jobs that moved on. What nobody may do is not among them.
func overtaken(said string) bool {
	if strings.Contains(said, "denied") {
		return false
	}
	for _, words := range []string{"Invalid job id", "already completing or completed", "transitional state", "Job/step is not running"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}
