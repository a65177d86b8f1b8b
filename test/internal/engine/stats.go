// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/gym-otelcol/gym-otelcol/test/internal/pyprom"
)

// Bucket bounds as current vLLM has them.
var (
	tokenBounds     = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000}
	iterationBounds = []float64{1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}
	firstBounds     = []float64{
		.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75,
		1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
	}
	perTokenBounds = []float64{
		.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75,
		1, 2.5, 5, 7.5, 10, 20, 40, 80,
	}
	requestBounds = []float64{
		.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60,
		120, 240, 480, 960, 1920, 7680,
	}
)

// How a request can end.
const (
	finishedStop   = "stop"
	finishedLength = "length"
	finishedAbort  = "abort"
)

// engineIndex is the label `engine` of an engine without data parallelism.
const engineIndex = "0"

// stats are the families that a request changes. Families that are there on a real page
// but never move here are registered in idle.go.
type stats struct {
	registry *pyprom.Registry

	running, kvCache *pyprom.Series

	unused []*pyprom.Series // caches that only optional families make use of

	prefixQueries, promptTokens, generationTokens *pyprom.Series

	promptComputed *pyprom.Series

	finished map[string]*pyprom.Series

	requestPrompt, requestGeneration, requestMaxGeneration, paramsMax, prefillComputed *pyprom.Series

	paramsN, iterationTokens *pyprom.Series

	firstToken, interToken, perToken *pyprom.Series

	e2e, queue, inference, prefill, decode *pyprom.Series
}

// newStats registers everything in the order of a real page.
func newStats(model string, optional bool) *stats {
	r := &pyprom.Registry{}
	p := page{registry: r, model: model}
	p.addProcess()
	s := &stats{registry: r}
	s.running = p.gauge("vllm:num_requests_running", "Requests being computed.")
	p.gauge("vllm:num_requests_waiting", "Requests waiting to be computed.")
	p.addIdleGauges()
	s.kvCache = p.gauge("vllm:kv_cache_usage_perc", "Used share of the KV cache, 1 is all of it.")
	s.addCounters(p)
	s.addSizes(p)
	s.addTimes(p)
	p.addCacheConfig()
	if optional {
		s.addOptional(p)
	}
	return s
}

func (s *stats) addCounters(p page) {
	s.prefixQueries = p.counter("vllm:prefix_cache_queries", "Tokens looked up in the prefix cache.")
	p.counter("vllm:prefix_cache_hits", "Tokens found in the prefix cache.")
	s.unused = p.addIdleCounters()
	s.promptTokens = p.counter("vllm:prompt_tokens", "Prompt tokens processed.")
	source := p.registry.Counter("vllm:prompt_tokens_by_source", "Prompt tokens by origin.", "model_name", "engine", "source")
	s.promptComputed = source.With(p.model, engineIndex, "local_compute")
	source.With(p.model, engineIndex, "local_cache_hit")
	source.With(p.model, engineIndex, "external_kv_transfer")
	p.counter("vllm:prompt_tokens_cached", "Prompt tokens that were in a cache.")
	s.generationTokens = p.counter("vllm:generation_tokens", "Tokens generated.")
	s.finished = map[string]*pyprom.Series{}
	finished := p.registry.Counter("vllm:request_success", "Requests that ended, by reason.", "model_name", "engine", "finished_reason")
	for _, reason := range []string{finishedStop, finishedLength, finishedAbort, "error", "repetition"} {
		s.finished[reason] = finished.With(p.model, engineIndex, reason)
	}
}

func (s *stats) addSizes(p page) {
	s.requestPrompt = p.histogram("vllm:request_prompt_tokens", "Prompt tokens of a request.", tokenBounds)
	s.requestGeneration = p.histogram("vllm:request_generation_tokens", "Generated tokens of a request.", tokenBounds)
	// A histogram in spite of its name.
	s.iterationTokens = p.histogram("vllm:iteration_tokens_total", "Tokens of one engine step.", iterationBounds)
	s.requestMaxGeneration = p.histogram("vllm:request_max_num_generation_tokens", "Most tokens generated for a request.", tokenBounds)
	s.paramsN = p.histogram("vllm:request_params_n", "Parameter n of a request.", []float64{1, 2, 5, 10, 20})
	s.paramsMax = p.histogram("vllm:request_params_max_tokens", "Parameter max_tokens of a request.", tokenBounds)
	s.prefillComputed = p.histogram("vllm:request_prefill_kv_computed_tokens", "Prompt tokens of a request that were not in a cache.", tokenBounds)
}

func (s *stats) addTimes(p page) {
	s.firstToken = p.histogram("vllm:time_to_first_token_seconds", "Time to the first token.", firstBounds)
	s.interToken = p.histogram("vllm:inter_token_latency_seconds", "Time between two tokens.", perTokenBounds)
	s.perToken = p.histogram("vllm:request_time_per_output_token_seconds", "Time a token, by request.", perTokenBounds)
	s.e2e = p.histogram("vllm:e2e_request_latency_seconds", "Time of a whole request.", requestBounds)
	s.queue = p.histogram("vllm:request_queue_time_seconds", "Time a request waited.", requestBounds)
	s.inference = p.histogram("vllm:request_inference_time_seconds", "Time a request was computed.", requestBounds)
	s.prefill = p.histogram("vllm:request_prefill_time_seconds", "Time in prefill.", requestBounds)
	s.decode = p.histogram("vllm:request_decode_time_seconds", "Time in decode.", requestBounds)
}
