// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// breaker is how many single items in a row may be refused alike before it looks as if everything were.
const breaker = 20

// shipment is one attempt to settle some pieces. What the backend refuses as data is halved until only the refused
// items are left.
type shipment struct {
	*sender
	done []settlement
	firm int // how many of done are older than the last success: beyond the breaker's suspicion
}

// deliver settles the pieces in order, as far as it comes.
func (p *shipment) deliver(ctx context.Context, pieces []piece) result {
	body := join(pieces)
	if len(body) == 0 {
		for _, one := range pieces {
			p.done = append(p.done, settlement{piece: one, reason: "damaged"})
		}
		return result{class: classOK}
	}
	r := p.attempt(ctx, body)
	switch {
	case r.class == classOK:
		p.settleAll(pieces, r)
	case r.class != classData:
	case len(pieces) == 1:
		return p.isolate(ctx, pieces[0], r)
	default:
		if r.status == http.StatusRequestEntityTooLarge {
			p.size = max(len(body)/2, 4<<10)
		}
		half := len(pieces) / 2
		if r = p.deliver(ctx, pieces[:half]); r.class == classOK {
			r = p.deliver(ctx, pieces[half:])
		}
	}
	return r
}

func join(pieces []piece) (body []byte) {
	if len(pieces) == 1 {
		return pieces[0].body
	}
	for _, one := range pieces {
		body = append(body, one.body...)
	}
	return body
}

// settleAll notes a success. Of a partial one only a number is known, so it is spread over the pieces from the
// last one on.
func (p *shipment) settleAll(pieces []piece, r result) {
	first := len(p.done)
	for _, one := range pieces {
		d := settlement{piece: one}
		if len(one.body) == 0 {
			d.reason = "damaged"
		}
		p.done = append(p.done, d)
	}
	rejected := r.rejected
	for i := len(p.done) - 1; i >= first && rejected > 0; i-- {
		d := &p.done[i]
		if d.items == 0 {
			continue
		}
		d.rejected = min(rejected, d.items)
		d.status, d.reason = r.status, "partial"
		rejected -= d.rejected
	}
	p.believe()
	p.notePartial(r)
}

// believe is called after a success: the endpoint is all right.
func (p *shipment) believe() { p.streak, p.firm = 0, len(p.done) }

func (p *shipment) notePartial(r result) {
	if r.rejected > 0 {
		p.note(result{class: classData, status: r.status, message: fmt.Sprintf("the backend rejected %d items: %s", r.rejected, r.message)})
	}
}

// isolate finds the refused items of one piece.
func (p *shipment) isolate(ctx context.Context, one piece, why result) result {
	d := settlement{piece: one, status: why.status, reason: reasonOf(why)}
	if one.items <= 1 {
		if r := p.refuse(ctx, one, why); r.class != classOK {
			return r
		}
		d.rejected = one.items
		p.done = append(p.done, d)
		return result{class: classOK}
	}
	batch, err := decode(p.signal, one.body)
	if err != nil {
		return result{class: classDisk, message: err.Error()}
	}
	rejected, r := p.split(ctx, one, batch)
	if r.class != classOK {
		return r
	}
	if d.rejected = rejected; rejected == 0 {
		d.status, d.reason = 0, ""
	}
	p.done = append(p.done, d)
	return r
}

// split sends both halves of a batch that was refused as a whole.
func (p *shipment) split(ctx context.Context, one piece, batch otlpfile.Batch) (rejected int64, r result) {
	first, second := otlpfile.Halves(batch)
	for _, half := range []otlpfile.Batch{first, second} {
		items := otlpfile.Items(half)
		body, err := encode(half)
		if err != nil {
			return rejected, result{class: classDisk, message: err.Error()}
		}
		more := int64(0)
		switch r = p.attempt(ctx, body); {
		case r.class == classOK:
			p.believe()
			p.notePartial(r)
			more = min(r.rejected, int64(items))
		case r.class != classData:
			return rejected, r
		case items <= 1:
			r = p.refuse(ctx, one, r)
			more = 1
		default:
			more, r = p.split(ctx, one, half)
		}
		if r.class != classOK {
			return rejected, r
		}
		rejected += more
	}
	return rejected, r
}

// refuse is asked before an item counts as rejected. After many refusals alike it tries a line from elsewhere in
// the file: if that is taken, it is the data; if not, or if there is none, it is the endpoint, and nothing is
// rejected.
func (p *shipment) refuse(ctx context.Context, one piece, why result) result {
	if p.streak == 0 || p.streakStatus != why.status {
		p.streak, p.streakStatus = 0, why.status
	}
	p.note(why)
	if p.streak++; p.streak < breaker {
		return result{class: classOK}
	}
	if other := p.elsewhere(one.span); other != nil {
		r := p.attempt(ctx, other)
		if r.class == classOK {
			p.believe() // what was sent here will be sent once more, in its turn
			return result{class: classOK}
		}
		if r.class != classData {
			return r
		}
	}
	p.done = p.done[:p.firm]
	p.streak = 0
	return result{class: classEndpoint, status: why.status, message: fmt.Sprintf("%d items in a row were refused, so it is not the data: %s", breaker, why.message)}
}

// elsewhere is the last line of the file, or the first one; nothing if there is only the one in question.
func (p *shipment) elsewhere(than span) []byte {
	for _, at := range []span{p.survey.last, p.survey.first} {
		if at == than {
			continue
		}
		lines := newPieces(p.file, p.signal, at, p.client.token)
		if found, err := lines.next(maxRequest); err == nil {
			return found[0].body
		}
	}
	return nil
}
