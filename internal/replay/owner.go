// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
)

// maxInterval bounds what a damaged record can make anyone wait.
const maxInterval = 60

// awaitDead returns when the writer of a directory has ended, or has let two of its intervals pass without a
// sign of life as seen from here; no other machine's clock is relied upon.
func awaitDead(ctx context.Context, dir string, talk func(string, ...any)) error {
	first, err := delivery.Load(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && first.Ended {
		return nil
	}
	interval := int64(5)
	if err == nil {
		interval = max(1, min(first.Owner.Interval, maxInterval))
	}
	patience := 2 * time.Duration(interval) * time.Second
	talk("%s: the collector did not say that it ended; waiting %v for a sign of life", dir, patience)
	for began := time.Now(); time.Since(began) < patience; {
		select {
		case <-time.After(min(time.Second, patience/10)):
		case <-ctx.Done():
			return errInterrupted
		}
		now, err := delivery.Load(dir)
		if err == nil && now.Ended {
			return nil
		}
		if err == nil && (first == nil || now.Owner != first.Owner) {
			return fmt.Errorf("the job's collector, or another replay, is still at work (host %s, process %d): wait for its end, or cancel the job",
				now.Owner.Host, now.Owner.PID)
		}
	}
	return nil
}
