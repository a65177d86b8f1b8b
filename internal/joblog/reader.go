// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
)

// Whole is the tail of a log that is read from its beginning.
const Whole = -1

// Reader copies logs of a job, and again what was added to them since.
type Reader struct {
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

// growing is a log and the line at its end that is not whole yet.
type growing struct {
	file *os.File
	rest []byte
}

// Copy copies what is new, of logs that are new too.
func (r *Reader) Copy() error {
	steps := Steps(r.JobDir, r.JobID)
	for _, step := range steps {
		if r.Step != "" && r.Step != step {
			continue
		}
		if err := r.copy(step); err != nil {
			return err
		}
	}
	r.began = true
	return nil
}

// Read reports whether there was a log to read.
func (r *Reader) Read() bool { return len(r.logs) > 0 }

func (r *Reader) copy(step string) error {
	log, err := r.open(step)
	if err != nil {
		return err
	}
	buffer := make([]byte, 1<<16)
	for {
		n, err := log.file.Read(buffer)
		if werr := r.take(step, log, buffer[:n]); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
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

func (r *Reader) open(step string) (*growing, error) {
	if log := r.logs[step]; log != nil {
		return log, nil
	}
	var (
		path = Path(r.JobDir, step, r.JobID)
		file *os.File
		err  error
	)
	if r.Tail == Whole || r.began { // what begins later is new from its first line on
		file, err = os.Open(path)
	} else {
		file, err = Tail(path, r.Tail)
	}
	if err != nil {
		return nil, err
	}
	if r.logs == nil {
		r.logs = map[string]*growing{}
	}
	r.logs[step] = &growing{file: file}
	return r.logs[step], nil
}

func (r *Reader) write(step string, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return r.Write(step, text)
}

// Close writes last lines that never became whole, and closes the logs.
func (r *Reader) Close() error {
	var problems []error
	for _, step := range Steps(r.JobDir, r.JobID) {
		if log := r.logs[step]; log != nil {
			problems = append(problems, r.write(step, log.rest))
		}
	}
	for _, log := range r.logs {
		if err := log.file.Close(); !errors.Is(err, fs.ErrClosed) {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}
