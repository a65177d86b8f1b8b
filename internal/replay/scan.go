// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// span is a part of the file.
type span struct{ start, end int64 }

// survey is what a file holds between the position and its end.
type survey struct {
	span

	lines, bytes, items int64
	first, last         span // good lines
	skippedLines        int64
	skipped             []Skipped
}

// scan reads the file once without sending anything.
func scan(ctx context.Context, file *os.File, signal otlpfile.Signal, part span, progress func(done int64)) (*survey, error) {
	s := &survey{span: part}
	reader := otlpfile.NewReader(io.NewSectionReader(file, s.start, s.end-s.start), signal, s.start)
	for ctx.Err() == nil {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			err = s.number(file)
			return s, err
		}
		if err != nil {
			return nil, err
		}
		s.add(line)
		progress(line.End - s.start)
	}
	return nil, errInterrupted
}

func (s *survey) add(line otlpfile.Line) {
	if line.Kind != otlpfile.Good {
		if s.skippedLines++; len(s.skipped) < maxSkipped {
			s.skipped = append(s.skipped, Skipped{line.Number, line.Start, line.End, line.Kind.String(), line.Reason})
		}
		return
	}
	s.last = span{line.Start, line.End}
	if s.lines == 0 {
		s.first = s.last
	}
	s.lines++
	s.bytes += line.End - line.Start
	s.items += int64(line.Items)
}

// number makes the numbers of lines count from the beginning of the file.
func (s *survey) number(file io.ReaderAt) error {
	if len(s.skipped) == 0 || s.start == 0 {
		return nil
	}
	before := &newlines{}
	if _, err := io.Copy(before, io.NewSectionReader(file, 0, s.start)); err != nil {
		return err
	}
	for i := range s.skipped {
		s.skipped[i].Line += before.n
	}
	return nil
}

type newlines struct{ n int64 }

func (n *newlines) Write(p []byte) (int, error) {
	n.n += int64(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

// reopen turns the record of a signal into the one with which a replay begins: as the position says, with what
// the file holds behind it undelivered.
func reopen(left delivery.Signal, from delivery.Position, items int64) delivery.Signal {
	counts := delivery.Signal{
		Delivered: from.Delivered, Rejected: from.Rejected, Lost: from.Lost, Undelivered: items,
		Unwritten: left.Unwritten, State: "idle", Position: from, LastError: left.LastError,
	}
	for _, r := range left.Ranges {
		if r.End <= from.Offset {
			counts.Ranges = append(counts.Ranges, r) // the others are found again
		}
	}
	ahead := left.Delivered + left.Rejected - from.Delivered - from.Rejected
	if missing := ahead + left.Undelivered - items; missing > 0 {
		// What never got into the file is the newest, or went out from memory while the disk was in trouble.
		settled := max(ahead-items, 0)
		if from.Offset == 0 {
			settled = max(settled, left.Unwritten-left.Lost)
		}
		settled = min(missing, settled)
		counts.Delivered += settled
		counts.Position.Delivered += settled
		counts.Lost += missing - settled
		counts.Position.Lost += missing - settled
	}
	counts.Accepted = counts.Delivered + counts.Rejected + counts.Undelivered + counts.Lost
	return counts
}
