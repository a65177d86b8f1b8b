// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// Whole is the tail of a log that is read from its beginning.
const Whole = -1

// Reader copies logs of a job, and again what was added to them since.
type Reader struct {
	Host          host.Host
	JobDir, JobID string
	// Step is the only one to read; empty reads all, in the order of the times in their lines.
	Step string
	// Tail is how many lines of what is there already of each are read, Whole for all.
	Tail int
	// Lines passes on single lines of a single step too.
	Lines bool
	// Write gets a line; of a single step without Lines it gets text of any length.
	Write func(Line) error
	// Cut hears of a log that became shorter, and is read from its beginning again; it may be nil.
	Cut   func(step string)
	logs  map[string]*growing
	began bool
	begin time.Time // of the job
}

// growing is a log, how far it was read, and the line at that point that is not whole yet.
type growing struct {
	offset int64
	rest   []byte
	clock  clock
	placed time.Time // of the last line, by which one without a time is placed
}

// Copy copies what is new, of logs that are new too.
func (r *Reader) Copy(ctx context.Context) error {
	logs, err := Logs(ctx, r.Host, r.JobDir, r.JobID)
	if errors.Is(err, host.ErrLost) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	if r.Step != "" {
		logs = slices.DeleteFunc(logs, func(l Log) bool { return l.Step != r.Step })
	}
	pass := r.merge
	if r.Step != "" && !r.Lines {
		pass = r.copy
	}
	if err := pass(ctx, logs); err != nil {
		return err
	}
	r.began = true
	return nil
}

// Read reports whether there was a log to read.
func (r *Reader) Read() bool { return len(r.logs) > 0 }

// copy reads as far as the logs were written when they were listed.
func (r *Reader) copy(ctx context.Context, logs []Log) error {
	for _, l := range logs {
		log, err := r.at(ctx, l)
		if err != nil {
			return err
		}
		for log.offset < l.Size {
			text, err := r.next(ctx, l)
			if err != nil {
				return err
			}
			if len(text) == 0 {
				break // it was cut meanwhile
			}
			if err := r.Write(Line{Step: l.Step, Text: text}); err != nil {
				return err
			}
		}
	}
	return nil
}

// next reads on in a log.
func (r *Reader) next(ctx context.Context, l Log) ([]byte, error) {
	const piece = 1 << 20
	log := r.logs[l.Step]
	text, err := r.Host.ReadAt(ctx, pathOn(r.Host, r.JobDir, l.Step, r.JobID), log.offset, int(min(piece, l.Size-log.offset)))
	log.offset += int64(len(text))
	return text, err
}

// at is how far a log was read. What begins later than the reader is new from its first line.
func (r *Reader) at(ctx context.Context, l Log) (*growing, error) {
	if log := r.logs[l.Step]; log != nil {
		if l.Size < log.offset {
			return log, r.restart(l.Step, log)
		}
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

// restart goes to the beginning of a log that was cut, or replaced by a shorter one.
func (r *Reader) restart(step string, log *growing) error {
	if r.Cut != nil {
		r.Cut(step)
	}
	rest := log.rest
	log.offset, log.rest = 0, nil
	if len(rest) == 0 {
		return nil
	}
	return r.Write(Line{Step: step, Text: append(rest, '\n')})
}

// Close writes last lines that never became whole.
func (r *Reader) Close() error {
	var problems []error
	for _, step := range slices.SortedFunc(maps.Keys(r.logs), byRank) {
		log := r.logs[step]
		if len(log.rest) == 0 {
			continue
		}
		line := Line{Step: step, Text: log.rest}
		line.Time, _ = log.clock.read(log.rest)
		problems = append(problems, r.Write(line))
		log.rest = nil
	}
	return errors.Join(problems...)
}
