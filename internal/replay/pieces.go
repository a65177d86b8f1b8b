// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"errors"
	"io"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// maxRequest is the size of a request before compression that every backend takes.
const maxRequest = 4 << 20

// piece is a line as it goes out, or a part of one that is larger than a request.
type piece struct {
	span // of the line

	body     []byte // in protobuf, with the token; empty when the line is none
	items    int64
	last     bool   // the line is settled with it
	checksum string // of the line, with the last piece
}

// pieces reads lines and cuts them up.
type pieces struct {
	reader *otlpfile.Reader
	signal otlpfile.Signal
	token  string
	queue  []piece
}

func newPieces(file io.ReaderAt, signal otlpfile.Signal, part span, token string) *pieces {
	section := io.NewSectionReader(file, part.start, part.end-part.start)
	return &pieces{reader: otlpfile.NewReader(section, signal, part.start), signal: signal, token: token}
}

// next returns what goes into one request, at least one piece, and io.EOF after the last one.
func (p *pieces) next(size int) ([]piece, error) {
	var taken []piece
	for len(taken) < maxPieces {
		if len(p.queue) == 0 {
			if err := p.read(); errors.Is(err, io.EOF) && len(taken) > 0 {
				break
			} else if err != nil {
				return nil, err
			}
		}
		one := p.queue[0]
		if size -= len(one.body); size < 0 && len(taken) > 0 {
			break
		}
		taken, p.queue = append(taken, one), p.queue[1:]
	}
	return taken, nil
}

// maxPieces bounds a request that consists of lines that are none.
const maxPieces = 10000

// read puts the pieces of the next line into the queue.
func (p *pieces) read() error {
	line, err := p.reader.Next()
	if err != nil {
		return err
	}
	if line.Kind != otlpfile.Good {
		p.queue = []piece{{span: span{line.Start, line.End}, last: true}}
		return nil
	}
	stamp(line.Batch, p.token)
	body, err := encode(line.Batch)
	if err != nil {
		return err
	}
	line.Batch = nil // it is several times as large
	if p.queue, err = p.cut(nil, body, line.Items); err != nil {
		return err
	}
	for i := range p.queue {
		p.queue[i].span = span{line.Start, line.End}
	}
	end := &p.queue[len(p.queue)-1]
	end.last, end.checksum = true, delivery.Checksum(line.Text)
	return nil
}

// cut halves a batch until every part fits into a request. A single item goes out whatever its size is. There is
// never more than one batch that is taken apart.
func (p *pieces) cut(done []piece, body []byte, items int) ([]piece, error) {
	if len(body) <= maxRequest || items == 1 {
		return append(done, piece{body: body, items: int64(items)}), nil
	}
	for _, half := range [][2]int{{0, items / 2}, {items / 2, items}} {
		part, err := p.part(body, half)
		if err == nil {
			done, err = p.cut(done, part, half[1]-half[0])
		}
		if err != nil {
			return nil, err
		}
	}
	return done, nil
}

func (p *pieces) part(body []byte, items [2]int) ([]byte, error) {
	batch, err := decode(p.signal, body)
	if err != nil {
		return nil, err
	}
	otlpfile.Keep(batch, items[0], items[1])
	return encode(batch)
}
