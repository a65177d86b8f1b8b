// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/gym-otelcol/gym-otelcol/components/internal/answer"
	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// What a sender does, as delivery.json tells it.
const (
	stateIdle     = "idle"
	stateRetrying = "retrying"
	stateBlocked  = "blocked" // by the endpoint
)

// sender brings the batches of one stream to the next pipeline: in order, one request at a time.
type sender struct {
	*stream
	size         int // of a request
	successes    int // since the last time it was too large
	failures     int // attempts in a row
	streak       int // single items refused in a row
	streakStatus int
	failing      class // of the failure that was logged last
	logged       time.Time
}

func (s *sender) run(ctx context.Context) {
	defer close(s.sent)
	select {
	case <-s.opened:
	case <-time.After(patience): // a file that cannot be opened keeps nothing from being sent
	case <-ctx.Done():
		return
	}
	for ctx.Err() == nil {
		s.count(ctx)
		some, more := s.waiting()
		switch {
		case some:
			s.yield(ctx)
			renewed := s.engine.renewed()
			s.pause(ctx, s.once(ctx), renewed)
		case !more:
			return
		default:
			select {
			case <-s.wakeSender:
			case <-ctx.Done():
			}
		}
	}
}

// count finds out how many items the part of the file holds that an earlier collector left unsettled.
func (s *sender) count(ctx context.Context) {
	s.mu.Lock()
	if len(s.backlog) == 0 || s.backlog[0].items != unknown {
		s.mu.Unlock()
		return
	}
	r := s.backlog[0]
	s.mu.Unlock()
	var items int64
	if f, err := s.engine.disk.open(s.path); err == nil {
		reader := otlpfile.NewReader(io.NewSectionReader(f, r.start, r.end-r.start), s.signal, r.start)
		for ctx.Err() == nil {
			line, err := reader.Next()
			if err != nil {
				break
			}
			items += int64(line.Items)
		}
		_ = f.Close() // it was only read
	}
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog[0].items = items
	s.counts.Accepted += items
	if missing := s.former - items; missing > 0 {
		s.counts.Accepted += missing
		s.lose(missing, "an earlier collector had them in memory alone when it died")
	}
	s.engine.log.Info("going on where an earlier collector stopped", s.field(), countField("items", items))
}

// yield lets the metrics go first while the process stops, as long as they get on.
func (s *sender) yield(ctx context.Context) {
	for ctx.Err() == nil && s.signal != otlpfile.Metrics {
		left, stopping := s.engine.left()
		if !stopping || left < s.engine.cfg.StopTimeout/2 || !s.engine.metricsUnderWay() {
			return
		}
		s.pause(ctx, 20*time.Millisecond, nil)
	}
}

// once tries to settle the oldest lines and returns how long to wait afterwards.
func (s *sender) once(ctx context.Context) time.Duration {
	units, err := s.next(s.size)
	if err != nil {
		s.note(result{class: classDisk, message: err.Error()})
		return s.delay(result{class: classDisk})
	}
	p := &shipment{sender: s}
	r := p.all(ctx, units)
	s.settle(p.done)
	if r.class == classOK {
		if s.failures > 0 {
			s.engine.log.Info("delivering again", s.field())
		}
		s.failures, s.failing = 0, ""
		s.setState(stateIdle)
		return 0
	}
	if r.class == classInterrupted || r.renewed {
		return 0
	}
	s.note(r)
	return s.delay(r)
}

// all delivers the units and passes over those that are no batch.
func (p *shipment) all(ctx context.Context, units []*unit) result {
	for from := 0; from < len(units); {
		to := from
		for to < len(units) && units[to].bad == "" {
			to++
		}
		if r := p.deliver(ctx, units[from:to]); r.class != classOK {
			return r
		}
		if to < len(units) {
			p.done = append(p.done, settlement{unit: units[to], reason: "damaged"})
			p.firm = len(p.done)
			p.engine.log.Warn("a line of the file is skipped", p.field(), reasonField(units[to].bad))
			to++
		}
		from = to
	}
	return result{class: classOK}
}

// attempt sends one batch, which is used up by it.
func (s *sender) attempt(ctx context.Context, batch otlpfile.Batch) result {
	ctx, a := answer.With(ctx)
	err := s.push(ctx, batch)
	if err != nil && errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return result{class: classInterrupted}
	}
	return classify(ctx, err, a)
}

// shrink and grow find the size of request that the backend takes.
func (s *sender) shrink() {
	s.size = max(s.size/2, 4<<10)
	s.successes = 0
}

func (s *sender) grow() {
	if s.successes++; s.successes%20 == 0 {
		s.size = min(s.size+s.size/10, s.engine.cfg.RequestSize)
	}
}

const (
	firstBackoff     = time.Second
	maxBackoff       = 30 * time.Second
	maxRetryAfter    = time.Minute
	probeInterval    = 30 * time.Second
	stoppingBackoff  = 2 * time.Second
	stoppingInterval = 5 * time.Second
)

// delay is how long to leave a failing backend alone. Hundreds of jobs come back at once when it recovers, so it
// is drawn at random. There is less time while the process stops.
func (s *sender) delay(r result) time.Duration {
	s.failures++
	left, stopping := s.engine.left()
	if r.class == classEndpoint {
		s.setState(stateBlocked)
		if stopping {
			return stoppingInterval
		}
		return probeInterval
	}
	s.setState(stateRetrying)
	bound := min(firstBackoff<<min(s.failures-1, 5), maxBackoff)
	if stopping {
		bound = min(bound, stoppingBackoff)
	}
	wait := bound/20 + rand.N(bound) //nolint:gosec // nobody gains by guessing it
	if r.retryAfter > 0 {
		wait = max(wait, min(r.retryAfter, maxRetryAfter))
	}
	if stopping {
		wait = min(wait, max(left-stoppingBackoff, 100*time.Millisecond))
	}
	return wait
}

// pause waits, but not beyond the moment when the process is told to stop, or when an endpoint that refuses
// everything can be asked with another token: then everything is tried at once.
func (s *sender) pause(ctx context.Context, d time.Duration, renewed <-chan struct{}) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	hurry := s.engine.hurry
	if _, stopping := s.engine.left(); stopping {
		hurry = nil
	}
	if s.failing != classEndpoint {
		renewed = nil
	}
	select {
	case <-timer.C:
	case <-renewed:
	case <-hurry:
		s.failures = 0
	case <-ctx.Done():
	}
}

func (s *sender) setState(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.State = state
}

func (s *stream) snapshotState() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.State
}

// note remembers an error for delivery.json, and logs it when it is new or a minute has passed.
func (s *sender) note(r result) {
	last := delivery.NewError(string(r.class), r.status, r.message)
	s.mu.Lock()
	s.counts.LastError = last
	s.mu.Unlock()
	if r.class == s.failing && time.Since(s.logged) < time.Minute {
		return
	}
	s.failing, s.logged = r.class, time.Now()
	s.engine.log.Warn("not delivered: "+map[class]string{
		classTransient: "the backend does not take it now; it is tried again",
		classEndpoint:  "the endpoint refuses everything; it is tried again each 30 s and at the end",
		classData:      "the backend refuses some of it",
		classDisk:      "the file cannot be read",
	}[r.class], s.field(), reasonField(last.Message))
}
