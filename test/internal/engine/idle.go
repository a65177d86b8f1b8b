// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/gym-otelcol/gym-otelcol/test/internal/pyprom"
)

// page registers families with the two labels that nearly all of them have.
type page struct {
	registry *pyprom.Registry
	model    string
}

func (p page) gauge(name, help string) *pyprom.Series {
	return p.registry.Gauge(name, help, "model_name", "engine").With(p.model, engineIndex)
}

func (p page) counter(name, help string) *pyprom.Series {
	return p.registry.Counter(name, help, "model_name", "engine").With(p.model, engineIndex)
}

func (p page) histogram(name, help string, bounds []float64) *pyprom.Series {
	return p.registry.Histogram(name, help, bounds, "model_name", "engine").With(p.model, engineIndex)
}

// addIdleGauges adds what describes states that this engine never gets into.
func (p page) addIdleGauges() {
	byReason := p.registry.Gauge("vllm:num_requests_waiting_by_reason", "Waiting requests by reason.", "model_name", "engine", "reason")
	byReason.With(p.model, engineIndex, "capacity")
	byReason.With(p.model, engineIndex, "deferred")
	sleep := p.registry.Gauge("vllm:engine_sleep_state", "Whether the engine sleeps.", "model_name", "engine", "sleep_state")
	sleep.With(p.model, engineIndex, "awake").Set(1)
	sleep.With(p.model, engineIndex, "weights_offloaded")
	sleep.With(p.model, engineIndex, "discard_all")
}

// addIdleCounters adds caches that this engine does not have. In this order the lookups
// come before what was found.
func (p page) addIdleCounters() (unused []*pyprom.Series) {
	unused = []*pyprom.Series{
		p.counter("vllm:external_prefix_cache_queries", "Tokens looked up in another engine's cache."),
		p.counter("vllm:external_prefix_cache_hits", "Tokens found in another engine's cache."),
		p.counter("vllm:mm_cache_queries", "Multi-modal items looked up."),
		p.counter("vllm:mm_cache_hits", "Multi-modal items found."),
	}
	p.counter("vllm:num_preemptions", "Requests pushed out by others.")
	return unused
}

// addCacheConfig adds the info gauge, the one family without model_name, whose values
// are Python's words.
func (p page) addCacheConfig() {
	fields := [][2]string{
		{"block_size", "16"},
		{"cache_dtype", "auto"},
		{"calculate_kv_scales", "False"},
		{"cpu_offload_gb", "0.0"},
		{"enable_prefix_caching", "True"},
		{"gpu_memory_utilization", "0.9"},
		{"num_cpu_blocks", "None"},
		{"num_gpu_blocks", "22538"},
		{"num_gpu_blocks_override", "None"},
		{"prefix_caching_hash_algo", "sha256"},
		{"sliding_window", "None"},
		{"swap_space", "4.0"},
		{"swap_space_bytes", "4294967296.0"},
	}
	names, values := []string{"engine"}, []string{engineIndex}
	for _, field := range fields {
		names, values = append(names, field[0]), append(values, field[1])
	}
	p.registry.Gauge("vllm:cache_config_info", "Configuration of the KV cache.", names...).With(values...).Set(1)
}
