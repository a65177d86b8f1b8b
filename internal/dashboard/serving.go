// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

const serverErrors = `status=~"5.."`

func overHTTP(s scope) section {
	byStatus, byHandler := s.with("status"), s.with("handler")
	return section{title: "HTTP", collapsed: true, panels: []panel{
		{title: "HTTP by status", view: stack, unit: "reqps", about: "Answers of the engines' API servers. 4xx: the driver asks for what the engine does not have, such as another model's name or too long a prompt.", queries: []query{
			{expr: byStatus.sum(rate(engine(httpAnswer), around)), legend: byStatus.legend("")},
		}},
		{title: "HTTP by endpoint", view: stack, unit: "reqps", about: "What is asked for.", queries: []query{
			{expr: byHandler.sum(rate(engine(httpAnswer), around)), legend: byHandler.legend("")},
		}},
		{title: "5xx ratio", unit: "percentunit", full: true, about: "Server errors among all answers.", queries: []query{
			{expr: s.share(rate(engine(httpAnswer, serverErrors), around), rate(engine(httpAnswer), around)), legend: s.legend("")},
		}},
		{title: "HTTP mean duration", unit: "s", about: "By endpoint, from the first byte of the request to the end of the answer. Far above E2EL: the API server, and not the engine, is the limit.", queries: []query{
			{expr: byHandler.average("http_request_duration_seconds", around), legend: byHandler.legend("")},
		}},
	}}
}

// engines compares the engines of a run: services, and their data-parallel ranks.
func engines() section {
	by := scope{"gym_service", "engine"}
	byService := scope{"gym_service"}
	return section{title: "Engines: balance and configuration", collapsed: true, panels: []panel{
		{title: "Engines", view: sheet, about: "Each engine, over all that is shown.", queries: append([]query{
			{expr: by.max("max_over_time(" + engine(running) + "[" + shown + "])"), legend: "peak running", unit: "short"},
			{expr: by.max("max_over_time(" + engine(waiting) + "[" + shown + "])"), legend: "peak waiting", unit: "short"},
			{expr: by.average(iteration, shown), legend: "tokens a step", unit: "short"},
		}, results(by)...)},
		{title: "Running by engine", unit: "short", about: "Engines of one service should run about as many requests each.", queries: []query{{expr: by.sum(engine(running)), legend: by.legend("")}}},
		{title: "Output tok/s by engine", unit: "short", about: "One engine behind the others: look at its GPUs and its KV cache.", queries: []query{{expr: by.sum(rate(engine(generated), around)), legend: by.legend("")}}},
		{title: "KV cache by engine", unit: "percentunit", full: true, about: "Used share by engine.", queries: []query{{expr: by.max(engine(kvCache)), legend: by.legend("")}}},
		{title: "Imbalance", unit: "short", about: "Most loaded engine over the mean of its service, by running requests. 1 is even; 2 means that one engine does the work of two.", queries: []query{
			{expr: byService.max(by.sum(engine(running))) + " / (" + byService.mean(by.sum(engine(running))) + " > 0)", legend: byService.legend("")},
		}},
		{title: "API server CPU", unit: "short", about: "CPUs used by an engine's API server process. At 1 a single Python process is the limit.", queries: []query{{expr: byService.sum(rate(engine("process_cpu_seconds_total"), around)), legend: byService.legend("")}}},
		{title: "API server memory", unit: "bytes", about: "Resident memory of the API server process.", queries: []query{{expr: byService.sum(engine("process_resident_memory_bytes")), legend: byService.legend("")}}},
		{title: "API server open files", unit: "short", about: "Open file descriptors: about one a client connection.", queries: []query{{expr: byService.sum(engine("process_open_fds")), legend: byService.legend("")}}},
		{title: "Uptime", unit: "s", about: "Since the API server's start. A fall to 0 is a restart.", queries: []query{{expr: byService.max("time() - " + engine("process_start_time_seconds")), legend: byService.legend("")}}},
		{title: "Sleep state", unit: "short", about: "1 for the state that the engine is in.", queries: []query{{expr: by.with("sleep_state").max(engine("vllm_engine_sleep_state")), legend: by.with("sleep_state").legend("")}}},
		{title: "Estimated FLOP/s per GPU", unit: "flops", about: "Only with --enable-mfu-metrics. Divided by the GPU's peak it is the model FLOPs utilization.", queries: []query{{expr: by.sum(rate(engine("vllm_estimated_flops_per_gpu_total"), around)), legend: by.legend("")}}},
		{title: "Estimated memory traffic per GPU", unit: "Bps", about: "Only with --enable-mfu-metrics.", queries: []query{
			{expr: by.sum(rate(engine("vllm_estimated_read_bytes_per_gpu_total"), around)), legend: by.legend("read")},
			{expr: by.sum(rate(engine("vllm_estimated_write_bytes_per_gpu_total"), around)), legend: by.legend("write")},
		}},
		{title: "Cache configuration", view: sheet, about: "What each engine made of its options: the size of its KV cache is num_gpu_blocks × block_size tokens.", queries: []query{
			{expr: by.with("num_gpu_blocks", "block_size", "cache_dtype", "gpu_memory_utilization", "enable_prefix_caching", "cpu_offload_gb").max("last_over_time(" + engine("vllm_cache_config_info") + "[" + shown + "])")},
		}},
		{title: "LoRA adapters", view: sheet, about: "Adapters of running and waiting requests. Only with LoRA.", queries: []query{
			{expr: byService.with("max_lora", "running_lora_adapters", "waiting_lora_adapters").max("last_over_time(" + engine("vllm_lora_requests_info") + "[" + shown + "])")},
		}},
	}}
}

func speculative(s scope) section {
	const (
		drafts   = "vllm_spec_decode_num_drafts_total"
		drafted  = "vllm_spec_decode_num_draft_tokens_total"
		accepted = "vllm_spec_decode_num_accepted_tokens_total"
		placed   = "vllm_spec_decode_num_accepted_tokens_per_pos_total"
	)
	byPosition := s.with("position")
	return section{title: "Speculative decoding", collapsed: true, panels: []panel{
		{title: "Acceptance rate", unit: "percentunit", full: true, about: "Accepted of the drafted tokens. Low: the draft costs more than it brings.", queries: []query{{expr: s.quotient(rate(engine(accepted), around), rate(engine(drafted), around)), legend: s.legend("")}}},
		{title: "Acceptance length", unit: "short", about: "Tokens a step: 1 + accepted / drafts. ITL divided by it is comparable with TPOT.", queries: []query{{expr: "1 + " + s.quotient(rate(engine(accepted), around), rate(engine(drafts), around)), legend: s.legend("")}}},
		{title: "Acceptance by position", unit: "percentunit", full: true, about: "Share of drafts whose token at this position was accepted. It falls; where it is near 0 num_speculative_tokens can be cut.", queries: []query{
			{expr: byPosition.sum(rate(engine(placed), around)) + onto(byPosition) + "(" + s.sum(rate(engine(drafts), around)) + " > 0)", legend: byPosition.legend("position")},
		}},
		{title: "Draft and accepted tok/s", unit: "short", about: "Drafts, their tokens, and what became of these.", queries: []query{
			{expr: s.sum(rate(engine(drafts), around)), legend: s.legend("drafts")},
			{expr: s.sum(rate(engine(drafted), around)), legend: s.legend("draft tokens")},
			{expr: s.sum(rate(engine(accepted), around)), legend: s.legend("accepted")},
			{expr: s.sum(rate(engine(drafted), around)) + " - " + s.sum(rate(engine(accepted), around)), legend: s.legend("rejected")},
		}},
		{title: "Output from drafts", unit: "percentunit", full: true, about: "Share of the output that came from accepted drafts.", queries: []query{{expr: s.quotient(rate(engine(accepted), around), rate(engine(generated), around)), legend: s.legend("")}}},
	}}
}
