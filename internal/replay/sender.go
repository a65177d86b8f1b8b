// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// sender brings one file to the backend, one request at a time.
type sender struct {
	opt    Options
	dir    string
	signal otlpfile.Signal
	file   *os.File
	survey *survey
	client *client
	ledger *ledger
	report *SignalReport

	line         delivery.Position // what was settled of the line that is on its way
	size         int               // of a request
	streak       int               // single items refused in a row
	streakStatus int
}

// run sends until all is settled, or something is in the way that waiting does not heal.
func (s *sender) run(ctx context.Context) result {
	source := newPieces(s.file, s.signal, s.survey.span, s.client.token)
	s.size = maxRequest
	for ctx.Err() == nil {
		request, err := source.next(s.size)
		if errors.Is(err, io.EOF) {
			return result{class: classOK}
		}
		if err != nil {
			return result{class: classDisk, message: err.Error()}
		}
		if r := s.insist(ctx, request); r.class != classOK {
			return r
		}
	}
	return result{class: classInterrupted}
}

// insist settles a request, with patience for what passes.
func (s *sender) insist(ctx context.Context, request []piece) result {
	failures, since := 0, time.Time{}
	for {
		p := &shipment{sender: s}
		r := p.deliver(ctx, request)
		s.settle(p.done)
		request = request[len(p.done):]
		if r.class != classTransient {
			return r
		}
		s.note(r)
		if len(p.done) > 0 || failures == 0 {
			failures, since = 0, time.Now()
		}
		failures++
		wait := s.delay(failures, r)
		if time.Since(since)+wait > s.opt.Patience {
			r.message = fmt.Sprintf("%d attempts failed, the last one: %s", failures, r.message)
			return r
		}
		s.opt.Talk("%s: %s: %s; trying again in %v", s.dir, s.signal, r.message, wait.Round(100*time.Millisecond))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return result{class: classInterrupted}
		}
	}
}

const maxBackoff = 30 * time.Second

// delay is how long to leave a failing backend alone. Others come back too when it recovers, so it is drawn at
// random.
func (s *sender) delay(failures int, r result) time.Duration {
	bound := min(s.opt.Backoff<<min(failures-1, 5), maxBackoff)
	return max(bound/20+rand.N(bound), r.retryAfter) //nolint:gosec // there is nothing to guess
}

func (s *sender) attempt(ctx context.Context, body []byte) result {
	return s.client.post(ctx, s.signal, body)
}

// note remembers an error for delivery.json.
func (s *sender) note(r result) {
	s.ledger.update(s.signal, func(counts *delivery.Signal) {
		counts.LastError = delivery.NewError(string(r.class), r.status, r.message)
	})
}

func (s *sender) tell() {
	s.opt.Progress(Progress{Dir: s.dir, Signal: s.signal, Done: s.survey.items - s.report.Left, Total: s.survey.items})
}
