// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"
)

// start counts a request as running.
func (s *stats) start() {
	s.registry.Update(func() {
		s.running.Add(1)
		s.kvCache.Add(kvShare)
	})
}

// prefilled counts a prompt. No prefix is ever cached here, since the prompts of a test
// differ.
func (s *stats) prefilled(tokens int) {
	n := float64(tokens)
	s.registry.Update(func() {
		s.prefixQueries.Add(n)
		s.promptTokens.Add(n)
		s.promptComputed.Add(n)
		s.iterationTokens.Observe(n)
	})
}

// decoded counts tokens of one step.
func (s *stats) decoded(o *outcome, tokens int) {
	now := time.Now()
	s.registry.Update(func() {
		since := now.Sub(o.end).Seconds() / float64(tokens)
		if o.tokens == 0 {
			o.first, since = now, 0
			s.firstToken.Observe(now.Sub(o.begin).Seconds())
		}
		s.generationTokens.Add(float64(tokens))
		s.iterationTokens.Observe(float64(tokens))
		for i := range tokens {
			if o.tokens+i > 0 {
				s.interToken.Observe(since)
			}
		}
		o.tokens += tokens
		o.end = now
	})
}

// finish counts a request that ended for whatever reason. Times and sizes are known only
// of one that got to its end.
func (s *stats) finish(o *outcome, request chatRequest) {
	s.registry.Update(func() {
		s.running.Add(-1)
		s.kvCache.Add(-kvShare)
		s.finished[o.reason].Add(1)
		if o.reason != finishedAbort {
			s.observeSizes(o, request)
			s.observeTimes(o)
		}
	})
}

func (s *stats) observeSizes(o *outcome, request chatRequest) {
	s.requestPrompt.Observe(float64(o.prompt))
	s.prefillComputed.Observe(float64(o.prompt))
	s.requestGeneration.Observe(float64(o.tokens))
	s.requestMaxGeneration.Observe(float64(o.tokens))
	s.paramsN.Observe(float64(max(request.N, 1)))
	if limit := request.limit(); limit > 0 {
		s.paramsMax.Observe(float64(limit))
	}
}

func (s *stats) observeTimes(o *outcome) {
	whole := o.end.Sub(o.begin).Seconds()
	decode := o.end.Sub(o.first).Seconds()
	s.e2e.Observe(whole)
	s.queue.Observe(0)
	s.inference.Observe(whole)
	s.prefill.Observe(whole - decode)
	s.decode.Observe(decode)
	if o.tokens > 1 {
		s.perToken.Observe(decode / float64(o.tokens-1))
	}
}
