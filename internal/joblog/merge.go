// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// Line is text of one log.
type Line struct {
	Step string
	// Time is what the line begins with, zero when it has none.
	Time time.Time
	// Text ends with a line end, unless the log does not.
	Text []byte
}

// source is what is new of one log.
type source struct {
	*Reader
	*growing
	log   Log
	lines []byte // whole ones that were read and not passed on
	found bool   // the place of the first of them
	order time.Time
	own   bool // it has a time
}

// merge passes the new lines of several logs on in the order of their times. The lines of one log stay in their
// order. One without a time belongs to the line before it, at the beginning of a log to the first one with a time; a
// log without any was written when it last changed.
func (r *Reader) merge(ctx context.Context, logs []Log) error {
	var sources []*source
	for _, l := range logs {
		s, err := r.source(ctx, l)
		if err != nil {
			return err
		}
		sources = append(sources, s)
	}
	for {
		var first *source
		for _, s := range sources {
			ready, err := s.ready(ctx)
			if err != nil {
				return err
			}
			if ready && (first == nil || s.order.Before(first.order)) {
				first = s
			}
		}
		if first == nil {
			return nil
		}
		if err := r.Write(first.take()); err != nil {
			return err
		}
	}
}

// source opens what is new of a log.
func (r *Reader) source(ctx context.Context, l Log) (*source, error) {
	g, err := r.at(ctx, l)
	if err != nil {
		return nil, err
	}
	s := &source{Reader: r, growing: g, log: l}
	if err := s.fill(ctx); err != nil {
		return nil, err
	}
	if !s.placed.IsZero() {
		return s, nil
	}
	if r.begin.IsZero() {
		r.begin = began(ctx, r.Host, pathOn(r.Host, r.JobDir, Job, r.JobID), l.Modified)
	}
	s.clock = clock{zone: r.begin.Location(), near: r.begin}
	ahead := s.clock
	s.placed = l.Modified
	for line := range bytes.Lines(s.lines) {
		if t, ok := ahead.read(line); ok {
			s.placed = t
			break
		}
	}
	return s, nil
}

// fill reads until there is a whole line, or all of what was there when the log was listed. A line without an end is
// not waited for forever.
func (s *source) fill(ctx context.Context) error {
	const longest = 1 << 16
	for len(s.lines) == 0 && s.offset < s.log.Size {
		text, err := s.next(ctx, s.log)
		if err != nil || len(text) == 0 {
			return err
		}
		text = append(s.rest, text...)
		whole := bytes.LastIndexByte(text, '\n') + 1
		if len(text)-whole > longest {
			whole = len(text)
		}
		s.lines, s.rest = text[:whole], slices.Clone(text[whole:])
	}
	return nil
}

// ready reports whether there is a line, and finds its place.
func (s *source) ready(ctx context.Context) (bool, error) {
	if s.found {
		return true, nil
	}
	if err := s.fill(ctx); err != nil || len(s.lines) == 0 {
		return false, err
	}
	line, _, _ := bytes.Cut(s.lines, []byte("\n"))
	t, own := s.clock.read(line)
	if own {
		s.placed = t
	}
	s.found, s.own = true, own
	// A time that a line tells of may be one to come. Clocks differ a little.
	s.order = s.placed
	if latest := s.log.Modified.Add(time.Minute); s.order.After(latest) {
		s.order = latest
	}
	return true, nil
}

// take is the line that is ready.
func (s *source) take() Line {
	end := bytes.IndexByte(s.lines, '\n') + 1
	if end == 0 {
		end = len(s.lines)
	}
	line := Line{Step: s.log.Step, Text: s.lines[:end]}
	if s.own {
		line.Time = s.placed
	}
	s.lines, s.found = s.lines[end:], false
	return line
}
