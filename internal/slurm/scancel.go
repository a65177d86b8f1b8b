// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import "context"

// CancelPending takes jobs out of the queue, and only those that have not begun meanwhile.
func CancelPending(ctx context.Context, ids []string) error {
	return scancel(ctx, ids, "--state=PENDING")
}

// Stop asks the batch scripts of running jobs for their orderly end, and nothing else of the
// job.
func Stop(ctx context.Context, ids []string) error {
	return scancel(ctx, ids, "--batch", "--signal=USR1")
}

// Cancel ends jobs the short way: everything in them is signalled at once.
func Cancel(ctx context.Context, ids []string) error { return scancel(ctx, ids) }

func scancel(ctx context.Context, ids []string, options ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := output(ctx, "scancel", append(options, ids...)...)
	return err
}
