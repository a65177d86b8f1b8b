// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
)

// unknown is the number of items of a region that has not been counted yet.
const unknown = -1

// open opens the file and, the first time, finds the place from where on it is not settled.
func (w *writer) open() error {
	if w.resumed {
		return nil
	}
	err := w.log.open()
	if err != nil {
		return err
	}
	w.resumed = true
	defer close(w.opened)
	var left *delivery.Signal
	if w.former != nil {
		left = w.former.Signals[w.signal]
	}
	if left == nil {
		left = &delivery.Signal{}
	} else if err := left.Position.Prove(w.log.file, w.log.end); err != nil {
		w.engine.log.Warn("the record does not fit the file: all of the file is sent again", w.field(), zap.Error(err))
		left = &delivery.Signal{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := left.Position
	// When the file opens late, something may have been sent already.
	now := w.counts.Position
	w.counts.Position = p
	w.counts.Position.Delivered += now.Delivered
	w.counts.Position.Rejected += now.Rejected
	w.counts.Position.Lost += now.Lost
	w.counts.Delivered += p.Delivered
	w.counts.Rejected += p.Rejected
	w.counts.Lost += p.Lost
	w.counts.Unwritten += left.Unwritten
	w.counts.Accepted += p.Delivered + p.Rejected + p.Lost
	w.counts.Ranges = append(before(left.Ranges, p.Offset), w.counts.Ranges...)
	w.stream.former = left.Delivered + left.Rejected + left.Undelivered - p.Delivered - p.Rejected
	if p.Offset < w.log.end {
		w.backlog = []region{{p.Offset, w.log.end, unknown}}
	}
	return nil
}

// before keeps the ranges that are settled: the others are found again.
func before(ranges []delivery.Range, offset int64) (kept []delivery.Range) {
	for _, r := range ranges {
		if r.End <= offset {
			kept = append(kept, r)
		}
	}
	return kept
}
