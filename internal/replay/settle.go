// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
)

// settlement is what became of a piece.
type settlement struct {
	piece

	rejected int64
	status   int
	reason   string // why some of it was rejected
}

// settle notes what became of the oldest pieces.
func (s *sender) settle(done []settlement) {
	if len(done) == 0 {
		return
	}
	s.ledger.update(s.signal, func(counts *delivery.Signal) {
		for _, d := range done {
			s.settleOne(counts, d)
		}
	})
	s.tell()
}

func (s *sender) settleOne(counts *delivery.Signal, d settlement) {
	delivered := d.items - d.rejected
	s.report.Sent += delivered
	s.report.Rejected += d.rejected
	s.report.Left -= d.items
	counts.Delivered += delivered
	counts.Rejected += d.rejected
	counts.Undelivered -= d.items
	s.line.Delivered += delivered
	s.line.Rejected += d.rejected
	if d.reason != "" {
		counts.AddRange(delivery.Range{Start: d.start, End: d.end, Items: d.rejected, Status: d.status, Reason: d.reason})
	}
	if !d.last {
		return
	}
	p := &counts.Position
	p.Delivered += s.line.Delivered
	p.Rejected += s.line.Rejected
	s.line = delivery.Position{}
	if d.checksum != "" { // only a good line proves a position
		p.Offset, p.LineLength, p.LineCRC32C = d.end, d.end-d.start, d.checksum
	}
}
