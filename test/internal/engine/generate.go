// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"strings"
	"time"
)

// kvShare is how much of the KV cache one running request takes.
const kvShare = 0.015625

// shortestStep keeps a long answer from taking one sleep a token.
const shortestStep = 5 * time.Millisecond

// outcome is what came out of one request.
type outcome struct {
	prompt, tokens int
	reason         string

	begin, first, end time.Time
}

// generate "computes" one request: a tenth of its time goes into the prompt, the rest
// into the tokens, which are handed to emit as they come. It ends early, as aborted,
// when the client goes away.
func (e *Engine) generate(ctx context.Context, request chatRequest, emit func(tokens int)) outcome {
	want, reason := e.length(request)
	o := outcome{prompt: len(strings.Fields(request.prompt())), begin: time.Now()}
	e.stats.start()
	defer func() { e.stats.finish(&o, request) }()

	o.reason = finishedAbort
	if !sleep(ctx, e.options.Latency/10) {
		return o
	}
	e.stats.prefilled(o.prompt)
	left := e.options.Latency - e.options.Latency/10
	for _, tokens := range steps(want, left) {
		if !sleep(ctx, left*time.Duration(tokens)/time.Duration(want)) {
			return o
		}
		e.stats.decoded(&o, tokens)
		emit(tokens)
	}
	o.reason = reason
	return o
}

// length is how many tokens the answer gets, and why no more.
func (e *Engine) length(request chatRequest) (tokens int, reason string) {
	if limit := request.limit(); limit > 0 && limit <= e.options.Tokens {
		return limit, finishedLength
	}
	return e.options.Tokens, finishedStop
}

// steps divides the tokens over the time.
func steps(tokens int, over time.Duration) []int {
	n := min(int(over/shortestStep)+1, tokens)
	sizes := make([]int, n)
	for i := range tokens {
		sizes[i%n]++
	}
	return sizes
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
