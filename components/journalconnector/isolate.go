// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// breaker is how many single items in a row may be refused alike before it looks as if everything were.
const breaker = 20

// shipment is one attempt to settle some lines. What the backend refuses as data is halved until only the
// refused items are left.
type shipment struct {
	*sender
	done []settlement
	firm int // how many of done are older than the last success: more than the breaker's suspicion
}

// deliver settles the units in order, as far as it comes.
func (p *shipment) deliver(ctx context.Context, units []*unit) result {
	if len(units) == 0 {
		return result{class: classOK}
	}
	batch, err := p.merge(units)
	if err != nil {
		return result{class: classData, message: err.Error()}
	}
	items := otlpfile.Items(batch)
	r := p.attempt(ctx, batch)
	switch {
	case r.class == classOK:
		p.settleAll(units, r)
		p.grow()
	case r.class != classData:
	case len(units) == 1:
		return p.isolate(ctx, units[0], items, r)
	default:
		if r.status == http.StatusRequestEntityTooLarge {
			p.shrink()
		}
		half := len(units) / 2
		if r = p.deliver(ctx, units[:half]); r.class == classOK {
			r = p.deliver(ctx, units[half:])
		}
	}
	return r
}

// merge makes one batch of several lines.
func (p *shipment) merge(units []*unit) (otlpfile.Batch, error) {
	all, err := units[0].take(p.signal)
	if err != nil {
		return nil, err
	}
	for _, u := range units[1:] {
		batch, err := u.take(p.signal)
		if err != nil {
			return nil, err
		}
		otlpfile.Append(all, batch)
	}
	return all, nil
}

// settleAll notes a success. Of a partial one only a number is known, so it is spread over the lines from the
// last one on.
func (p *shipment) settleAll(units []*unit, r result) {
	p.streak = 0
	first := len(p.done)
	for _, u := range units {
		p.done = append(p.done, settlement{unit: u})
	}
	rejected := r.rejected
	for i := len(p.done) - 1; i >= first && rejected > 0; i-- {
		d := &p.done[i]
		d.rejected = min(rejected, d.unit.items)
		d.status, d.reason = r.status, "partial"
		rejected -= d.rejected
	}
	p.firm = len(p.done)
	if r.rejected > 0 {
		p.note(result{class: classData, status: r.status, message: fmt.Sprintf("the backend rejected %d items: %s", r.rejected, r.message)})
	}
}

// isolate finds the refused items of one line.
func (p *shipment) isolate(ctx context.Context, u *unit, items int, why result) result {
	d := settlement{unit: u, status: why.status, reason: reasonOf(why)}
	if items <= 1 {
		if r := p.refuse(ctx, u, why); r.class != classOK {
			return r
		}
		d.rejected = u.items
		p.done = append(p.done, d)
		return result{class: classOK}
	}
	batch, err := u.take(p.signal)
	if err != nil {
		return result{class: classTransient, message: err.Error()}
	}
	rejected, r := p.split(ctx, u, batch)
	if r.class == classOK {
		d.rejected = rejected
		p.done = append(p.done, d)
	}
	return r
}

// split sends both halves of a batch that was refused as a whole.
func (p *shipment) split(ctx context.Context, u *unit, batch otlpfile.Batch) (rejected int64, r result) {
	first, second := otlpfile.Halves(batch)
	for _, half := range []otlpfile.Batch{first, second} {
		// Sending may change a batch, and a refused one is needed again.
		items, copied := otlpfile.Items(half), otlpfile.Copy(half)
		r = p.attempt(ctx, copied)
		switch {
		case r.class == classOK:
			p.streak = 0
			p.firm = len(p.done)
			rejected += r.rejected
		case r.class != classData:
			return rejected, r
		case items <= 1:
			if r = p.refuse(ctx, u, r); r.class != classOK {
				return rejected, r
			}
			rejected++
		default:
			var more int64
			if more, r = p.split(ctx, u, half); r.class != classOK {
				return rejected, r
			}
			rejected += more
		}
	}
	return rejected, result{class: classOK}
}

// refuse is asked before an item counts as rejected. After many refusals alike it tries another line: if that one
// is taken, it is the data; if not, or if there is none, it is the endpoint, and nothing is rejected.
func (p *shipment) refuse(ctx context.Context, u *unit, why result) result {
	if p.streak == 0 || p.streakStatus != why.status {
		p.streak, p.streakStatus = 0, why.status
	}
	p.note(why)
	if p.streak++; p.streak < breaker {
		return result{class: classOK}
	}
	if other := p.another(u); other != nil {
		if r := p.attempt(ctx, other); r.class == classOK {
			p.streak = 0 // what was sent here will be sent once more, in its turn
			p.firm = len(p.done)
			return result{class: classOK}
		}
	}
	p.done = p.done[:p.firm]
	p.streak = 0
	return result{class: classEndpoint, status: why.status, message: fmt.Sprintf("%d refusals in a row, so it is not the data: %s", breaker, why.message)}
}

// another is the newest line in memory, unless it is the one in question.
func (p *shipment) another(u *unit) otlpfile.Batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.entries); n > p.shipped && p.entries[n-1] != u.entry {
		batch, err := (&unit{line: p.entries[n-1].line}).take(p.signal)
		if err == nil {
			return batch
		}
	}
	return nil
}
