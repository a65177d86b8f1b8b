// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package otlpfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// Reader reads a file of one signal line by line. It keeps one line in memory and never more than MaxLine.
type Reader struct {
	source *bufio.Reader
	signal Signal
	offset int64
	number int64
	text   []byte
}

// NewReader reads from a place in the file where a line begins; offset is that place.
func NewReader(source io.Reader, signal Signal, offset int64) *Reader {
	return &Reader{source: bufio.NewReaderSize(source, 256<<10), signal: signal, offset: offset}
}

// Offset is behind the last line that was read.
func (r *Reader) Offset() int64 { return r.offset }

// Next returns the next line that is not empty, whatever its kind, and io.EOF after the last one. Empty lines
// are legal: they heal a write that was cut short.
func (r *Reader) Next() (Line, error) { return r.NextWith() }

// NextWith returns the next line with one of the words in it; the others are not even taken apart.
func (r *Reader) NextWith(words ...[]byte) (Line, error) {
	for {
		start := r.offset
		tooLong, err := r.read()
		if err != nil && (!errors.Is(err, io.EOF) || r.offset == start) {
			return Line{}, err
		}
		r.number++
		if len(r.text) == 1 && r.text[0] == '\n' {
			continue
		}
		holds := func(word []byte) bool { return bytes.Contains(r.text, word) }
		if len(words) > 0 && !slices.ContainsFunc(words, holds) {
			continue
		}
		line := Line{}.bad(Damaged, "it is longer than 32 MiB")
		if !tooLong {
			line = Parse(r.signal, r.text)
		}
		line.Number, line.Start, line.End = r.number, start, r.offset
		return line, nil
	}
}

// read fills text with one line; of a line that is too long it keeps nothing.
func (r *Reader) read() (tooLong bool, err error) {
	r.text = r.text[:0]
	for {
		part, err := r.source.ReadSlice('\n')
		r.offset += int64(len(part))
		if tooLong = tooLong || len(r.text)+len(part) > MaxLine; tooLong {
			r.text = r.text[:0]
		} else {
			r.text = append(r.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return tooLong, err
		}
	}
}
