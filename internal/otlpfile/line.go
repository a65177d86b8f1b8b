// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package otlpfile

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MaxLine is the longest line that is written or read, its newline included.
const MaxLine = 32 << 20

// Kind says what a line is.
type Kind int

// Kinds of lines.
const (
	Good    Kind = iota // one whole batch with items
	Torn                // the file ends before the line does
	Damaged             // not one JSON value, or not OTLP, or too long
	Foreign             // whole JSON, but no batch of this signal
)

// String is the kind in one word.
func (k Kind) String() string {
	return [...]string{"good", "torn", "damaged", "foreign"}[k]
}

// Line is one line of a file.
type Line struct {
	Number     int64 // counts from 1 where the reader began
	Start, End int64 // bytes in the file; End is behind the newline
	Kind       Kind
	Reason     string // why it is not good
	Text       []byte // with its newline; valid until the next line is read; nil when too long
	Batch      Batch  // of a good line
	Items      int    // data points, spans or log records in it
}

// Parse takes a line apart, newline included. Start, End and Number are the caller's.
func Parse(signal Signal, text []byte) Line {
	line := Line{Text: text}
	body, ended := bytes.CutSuffix(text, []byte{'\n'})
	switch {
	case !ended:
		return line.bad(Torn, "it has no end")
	case len(text) > MaxLine:
		return line.bad(Damaged, "it is longer than 32 MiB")
	case !json.Valid(body):
		return line.bad(Damaged, "it is not one JSON value")
	case !bytes.HasPrefix(body, signal.prefix()):
		return line.bad(Foreign, fmt.Sprintf("it is no batch of %s", signal))
	}
	batch, err := Unmarshal(signal, body)
	if err != nil {
		return line.bad(Damaged, "it is not OTLP: "+err.Error())
	}
	if line.Items = Items(batch); line.Items == 0 {
		return line.bad(Foreign, "it holds nothing")
	}
	line.Batch = batch
	return line
}

func (l Line) bad(kind Kind, reason string) Line {
	l.Kind, l.Reason = kind, reason
	return l
}
