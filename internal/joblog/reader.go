// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// Whole is the tail of a log that is read from its beginning.
const Whole = -1

// Reader copies logs of a job, and again what was added to them since.
type Reader struct {
	Host          host.Host
	JobDir, JobID string
	// Step is the only one to read; empty reads all.
	Step string
	// Tail is how many lines of what is there already are read, Whole for all.
	Tail int
	// Lines passes on whole lines of a single step too.
	Lines bool
	// Write gets text of one log, whole lines as long as more may come.
	Write func(step string, text []byte) error
	logs  map[string]*growing
	began bool
}

// growing is a log, how far it was read, and the line at that point that is not whole yet.
type growing struct {
	offset int64
	rest   []byte
}

// Copy copies what is new, of logs that are new too.
func (r *Reader) Copy(ctx context.Context) error {
	logs, err := Logs(ctx, r.Host, r.JobDir, r.JobID)
	if errors.Is(err, host.ErrLost) {
		return err
	}
	for _, l := range logs {
		if r.Step != "" && r.Step != l.Step {
			continue
		}
		if err := r.copy(ctx, l); err != nil {
			return err
		}
	}
	r.began = true
	return nil
}

// Read reports whether there was a log to read.
func (r *Reader) Read() bool { return len(r.logs) > 0 }

// copy reads as far as the log was written when it was listed.
func (r *Reader) copy(ctx context.Context, l Log) error {
	const piece = 1 << 20
	log, err := r.at(ctx, l)
	if err != nil {
		return err
	}
	path := pathOn(r.Host, r.JobDir, l.Step, r.JobID)
	for log.offset < l.Size {
		text, err := r.Host.ReadAt(ctx, path, log.offset, int(min(piece, l.Size-log.offset)))
		if err != nil {
			return err
		}
		if len(text) == 0 {
			return nil // it was cut meanwhile
		}
		log.offset += int64(len(text))
		if err := r.take(l.Step, log, text); err != nil {
			return err
		}
	}
	return nil
}

// take passes on text. Of several logs only whole lines are, so that no line is torn by
// another log's; a line without an end is not waited for forever.
func (r *Reader) take(step string, log *growing, text []byte) error {
	const longest = 1 << 16
	if r.Step != "" && !r.Lines {
		return r.write(step, text)
	}
	text = append(log.rest, text...)
	whole := bytes.LastIndexByte(text, '\n') + 1
	if len(text)-whole > longest {
		whole = len(text)
	}
	log.rest = slices.Clone(text[whole:])
	return r.write(step, text[:whole])
}

// at is how far a log was read. What begins later than the reader is new from its first line.
func (r *Reader) at(ctx context.Context, l Log) (*growing, error) {
	if log := r.logs[l.Step]; log != nil {
		return log, nil
	}
	log := &growing{}
	if r.Tail != Whole && !r.began {
		var err error
		if log.offset, err = lineFromEnd(ctx, r.Host, pathOn(r.Host, r.JobDir, l.Step, r.JobID), l.Size, r.Tail); err != nil {
			return nil, err
		}
	}
	if r.logs == nil {
		r.logs = map[string]*growing{}
	}
	r.logs[l.Step] = log
	return log, nil
}

func (r *Reader) write(step string, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return r.Write(step, text)
}

// Close writes last lines that never became whole.
func (r *Reader) Close() error {
	var problems []error
	steps := slices.SortedFunc(maps.Keys(r.logs), byRank)
	for _, step := range steps {
		problems = append(problems, r.write(step, r.logs[step].rest))
		r.logs[step].rest = nil
	}
	return errors.Join(problems...)
}
