// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import "github.com/gym-otelcol/gym-otelcol/test/internal/pyprom"

// draftTokens is how many tokens a draft has.
const draftTokens = 2

// addOptional adds the families that a real engine has only with certain options
// (speculative decoding, KV connectors and offloading, --kv-cache-metrics,
// --enable-mfu-metrics, LoRA), named as vLLM's source names them. Their values are made up
// from the tokens that were really served, each time the page is written.
func (s *stats) addOptional(p page) {
	refresh := []func(){s.addSpeculation(p), s.addTiers(p), s.addResidency(p), s.addEstimates(p)}
	lora := p.registry.Gauge("vllm:lora_requests_info", "Adapters in use.", "max_lora", "running_lora_adapters", "waiting_lora_adapters")
	lora.With("4", "alpha,beta", "").Set(1)
	p.registry.BeforePage(func() {
		for _, f := range refresh {
			f()
		}
	})
}

func (s *stats) addSpeculation(p page) (refresh func()) {
	drafts := p.counter("vllm:spec_decode_num_drafts", "Drafts.")
	drafted := p.counter("vllm:spec_decode_num_draft_tokens", "Tokens of drafts.")
	accepted := p.counter("vllm:spec_decode_num_accepted_tokens", "Accepted tokens of drafts.")
	family := p.registry.Counter("vllm:spec_decode_num_accepted_tokens_per_pos", "Accepted tokens by position.", "model_name", "engine", "position")
	first, second := family.With(p.model, engineIndex, "0"), family.With(p.model, engineIndex, "1")
	return func() {
		n := s.generationTokens.Value() / draftTokens
		drafts.Set(n)
		drafted.Set(n * draftTokens)
		first.Set(n * .75)
		second.Set(n * .25)
		accepted.Set(first.Value() + second.Value())
	}
}

// addTiers makes use of the caches that otherwise stay unused.
func (s *stats) addTiers(p page) (refresh func()) {
	tiers := p.registry.Counter("vllm:prompt_tokens_cached_by_source", "Cached prompt tokens by tier.", "model_name", "engine", "source")
	device, host := tiers.With(p.model, engineIndex, "device"), tiers.With(p.model, engineIndex, "host")
	stored := p.counter("vllm:kv_offload_store_bytes", "Bytes stored elsewhere.")
	loaded := p.counter("vllm:kv_offload_load_bytes", "Bytes loaded from elsewhere.")
	failed := p.counter("vllm:nixl_num_failed_transfers", "Failed transfers.")
	moved := p.histogram("vllm:nixl_bytes_transferred", "Bytes of a transfer.", []float64{2048, 8192, 32768, 131072})
	took := p.histogram("vllm:nixl_xfer_time_seconds", "Time of a transfer.", []float64{.005, .01, .025, .05, .1, .5, 1})
	return func() {
		n := s.promptTokens.Value()
		device.Set(n / 2)
		host.Set(n / 4)
		stored.Set(n * 1024)
		loaded.Set(n * 512)
		failed.Set(0)
		moved.Observe(4096)
		took.Observe(.01)
		for i := range s.unused {
			s.unused[i].Set(n / float64(i+1))
		}
	}
}

func (s *stats) addResidency(p page) (refresh func()) {
	bounds := []float64{.1, 1, 10, 60, 300, 1800}
	var all []*pyprom.Series
	for _, name := range []string{"lifetime", "idle_before_evict", "reuse_gap"} {
		all = append(all, p.histogram("vllm:kv_block_"+name+"_seconds", "Residency of sampled blocks.", bounds))
	}
	return func() {
		for i, series := range all {
			series.Observe(float64(i + 1))
		}
	}
}

func (s *stats) addEstimates(p page) (refresh func()) {
	flops := p.counter("vllm:estimated_flops_per_gpu", "Floating point operations.")
	read := p.counter("vllm:estimated_read_bytes_per_gpu", "Bytes read from memory.")
	written := p.counter("vllm:estimated_write_bytes_per_gpu", "Bytes written to memory.")
	return func() {
		n := s.generationTokens.Value()
		flops.Set(n * 2e9)
		read.Set(n * 1e9)
		written.Set(n * 1e6)
	}
}
