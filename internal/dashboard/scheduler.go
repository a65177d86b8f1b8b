// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

const iteration = "vllm_iteration_tokens_total" // a histogram in spite of its name

func scheduler(s scope) section {
	byReason := s.with("reason")
	return section{title: "Scheduler and KV cache", panels: []panel{
		{title: "Scheduler queue", unit: "short", about: "Running and waiting requests; waiting by reason: capacity, the KV cache or the batch is full; deferred, something else has to happen first, such as a transfer.", queries: []query{
			{expr: s.sum(engine(running)), legend: s.legend("running")},
			{expr: s.sum(engine(waiting)), legend: s.legend("waiting")},
			{expr: byReason.sum(engine("vllm_num_requests_waiting_by_reason")), legend: byReason.legend("waiting:")},
		}},
		{title: "KV cache usage", unit: "percentunit", full: true, about: "Used share of the KV cache over the engines. Max far above mean: the load is not balanced. Near 1: requests wait or are preempted.", queries: []query{
			{expr: s.max(engine(kvCache)), legend: s.legend("max")},
			{expr: s.mean(engine(kvCache)), legend: s.legend("mean")},
			{expr: s.min(engine(kvCache)), legend: s.legend("min")},
		}},
		{title: "Preemptions", unit: "ops", about: "Requests pushed out of the KV cache a second, each computed again. Lower the concurrency or max_num_seqs, or give the engine more memory.", queries: []query{
			{expr: s.sum(rate(engine(preempted), around)), legend: s.legend("")},
		}},
		{title: "Tokens per engine step", unit: "short", about: "Prompt and output tokens of one step: the batch. Near max_num_batched_tokens the engine is saturated; near 1 it decodes for one user.", queries: lengths(s, iteration)},
		{title: "Engine steps / s", unit: "ops", about: "Forward passes a second. Few with small batches: the CPU of the engine is the limit.", queries: []query{
			{expr: s.sum(rate(engine(iteration+"_count"), around)), legend: s.legend("")},
		}},
	}}
}

func caches(s scope) section {
	bySource := s.with("source")
	return section{title: "Caches", collapsed: true, panels: []panel{
		{title: "Cache hit rates", unit: "percentunit", full: true, about: "Tokens found in the prefix cache and in another engine's or tier's cache; items found in the multi-modal cache. A benchmark that repeats its prompts should hit; one that must not should not.", queries: []query{
			{expr: s.quotient(rate(engine(prefixHits), around), rate(engine(prefixAsks), around)), legend: s.legend("prefix")},
			{expr: s.quotient(rate(engine("vllm_external_prefix_cache_hits_total"), around), rate(engine("vllm_external_prefix_cache_queries_total"), around)), legend: s.legend("external prefix")},
			{expr: s.quotient(rate(engine("vllm_mm_cache_hits_total"), around), rate(engine("vllm_mm_cache_queries_total"), around)), legend: s.legend("multi-modal")},
		}},
		{title: "Prompt tokens by source", view: stack, unit: "short", about: "Prompt tokens a second: computed here, found in this engine's cache, or fetched from elsewhere.", queries: []query{
			{expr: bySource.sum(rate(engine("vllm_prompt_tokens_by_source_total"), around)), legend: bySource.legend("")},
		}},
		{title: "Cached prompt share", unit: "percentunit", full: true, about: "Prompt tokens that came from a cache, of all.", queries: []query{
			{expr: s.quotient(rate(engine("vllm_prompt_tokens_cached_total"), around), rate(engine(prompted), around)), legend: s.legend("")},
		}},
		{title: "Cached tokens by tier", view: stack, unit: "short", about: "Prompt tokens found a second, by where they lay (device, host, disk, ...). Later vLLM only.", queries: []query{
			{expr: bySource.sum(rate(engine("vllm_prompt_tokens_cached_by_source_total"), around)), legend: bySource.legend("")},
		}},
		{title: "Prompt and computed tokens a request", unit: "short", about: "Mean prompt length, and what of it had to be computed. The gap is what the caches saved.", queries: []query{
			{expr: s.average("vllm_request_prompt_tokens", around), legend: s.legend("prompt")},
			{expr: s.average("vllm_request_prefill_kv_computed_tokens", around), legend: s.legend("computed")},
		}},
		{title: "KV block residency (mean)", unit: "s", about: "How long a block of the KV cache lives, lies idle before it is evicted, and waits to be used again. Only with --kv-cache-metrics. Reuse gaps longer than the life of a block: the cache is too small for this benchmark.", queries: []query{
			{expr: s.average("vllm_kv_block_lifetime_seconds", around), legend: s.legend("lifetime")},
			{expr: s.average("vllm_kv_block_idle_before_evict_seconds", around), legend: s.legend("idle before evict")},
			{expr: s.average("vllm_kv_block_reuse_gap_seconds", around), legend: s.legend("reuse gap")},
		}},
		{title: "KV transfer (NIXL): mean time", unit: "s", about: "Time of one transfer between engines. Only with the NIXL connector.", queries: []query{
			{expr: s.average("vllm_nixl_xfer_time_seconds", around), legend: s.legend("")},
		}},
		{title: "KV transfer (NIXL): volume and failures", unit: "Bps", about: "Bytes a second between engines, and failed transfers a second. Only with the NIXL connector.", queries: []query{
			{expr: s.sum(rate(engine("vllm_nixl_bytes_transferred_sum"), around)), legend: s.legend("bytes")},
			{expr: s.sum(rate(engine("vllm_nixl_num_failed_transfers_total"), around)), legend: s.legend("failed transfers")},
		}},
		{title: "KV offload", unit: "Bps", about: "Bytes a second stored to and loaded from CPU memory or disk. Only with KV offloading.", queries: []query{
			{expr: s.sum(rate(engine("vllm_kv_offload_store_bytes_total"), around)), legend: s.legend("store")},
			{expr: s.sum(rate(engine("vllm_kv_offload_load_bytes_total"), around)), legend: s.legend("load")},
		}},
	}}
}
