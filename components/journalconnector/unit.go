// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// unit is one line on its way out, from memory or from the file.
type unit struct {
	line  []byte
	batch otlpfile.Batch // if it is there already; used up by the first attempt
	items int64
	entry *entry // nil: read from the file
	end   int64  // in the file, when it was read from there
	start int64
	bad   string // the reason why the line cannot be sent
}

// take returns the batch of a unit and leaves none behind.
func (u *unit) take(signal otlpfile.Signal) (otlpfile.Batch, error) {
	if batch := u.batch; batch != nil {
		u.batch = nil
		return batch, nil
	}
	return otlpfile.Unmarshal(signal, bytes.TrimSuffix(u.line, []byte{'\n'}))
}

// settlement is what became of a unit.
type settlement struct {
	unit     *unit
	rejected int64
	status   int
	reason   string // why some of it was rejected
}

// next returns the lines to send now, of at most size bytes but at least one; none when there are none.
func (s *stream) next(size int) ([]*unit, error) {
	s.mu.Lock()
	if len(s.backlog) > 0 {
		r := s.backlog[0]
		s.mu.Unlock()
		return s.readBack(r, size)
	}
	defer s.mu.Unlock()
	var units []*unit
	for _, e := range s.entries[s.shipped:] {
		if size -= len(e.line); size < 0 && len(units) > 0 {
			break
		}
		units = append(units, &unit{line: e.line, batch: e.batch, items: e.items, entry: e})
		e.batch = nil
	}
	s.taken = s.shipped + len(units)
	return units, nil
}

// readBack reads lines of a region. What is not a good line comes as a bad unit.
func (s *stream) readBack(r region, size int) ([]*unit, error) {
	f, err := s.engine.disk.open(s.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	reader := otlpfile.NewReader(io.NewSectionReader(f, r.start, r.end-r.start), s.signal, r.start)
	var units []*unit
	for size > 0 {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		u := &unit{start: line.Start, end: line.End}
		if line.Kind == otlpfile.Good {
			u.line, u.batch, u.items = bytes.Clone(line.Text), line.Batch, int64(line.Items)
		} else {
			u.bad = fmt.Sprintf("%s line: %s", line.Kind, line.Reason)
		}
		units = append(units, u)
		size -= int(line.End - line.Start)
	}
	if len(units) == 0 {
		// Empty lines, or the file is shorter than it was.
		units = append(units, &unit{start: r.start, end: r.end, bad: "the file ends before"})
	}
	return units, nil
}

// settle notes what became of the oldest units.
func (s *stream) settle(done []settlement) {
	if len(done) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range done {
		start, end := d.unit.start, d.unit.end
		delivered := d.unit.items - d.rejected
		s.counts.Delivered += delivered
		s.counts.Rejected += d.rejected
		if e := d.unit.entry; e != nil {
			start, end = e.start, e.end
			if !e.inFile {
				e.delivered, e.rejected = delivered, d.rejected
				s.shipped++
			}
		}
		if d.unit.entry == nil || d.unit.entry.inFile {
			s.passBacklog(d.unit, end, delivered, d.rejected)
		}
		if d.reason != "" {
			s.counts.AddRange(delivery.Range{Start: start, End: end, Items: d.rejected, Status: d.status, Reason: d.reason})
		}
	}
	s.release()
}

// passBacklog moves the position to the end of a line in the file.
func (s *stream) passBacklog(u *unit, end, delivered, rejected int64) {
	s.pass(delivered, rejected)
	if u.bad == "" {
		s.moveTo(end, u.line)
	}
	r := &s.backlog[0]
	r.start, r.items = end, r.items-u.items
	if r.start >= r.end {
		s.lose(r.items, "the file no longer holds what was written to it")
		s.backlog = s.backlog[1:]
	}
}

// waiting reports whether anything is left to send, and whether more can come.
func (s *stream) waiting() (some, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shipped < len(s.entries) || len(s.backlog) > 0, !s.closed
}
