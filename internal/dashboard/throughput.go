// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

const gpuActivity = "DCGM_FI_DEV_GPU_UTIL"

func throughput(s scope) section {
	byReason := s.with("finished_reason")
	return section{title: "Throughput", panels: []panel{
		{title: "Token throughput", unit: "short", about: "Prompt and generated tokens a second. A prompt's tokens come at once, when it has been prefilled.", queries: []query{
			{expr: s.sum(rate(engine(prompted), around)), legend: s.legend("prompt")},
			{expr: s.sum(rate(engine(generated), around)), legend: s.legend("generation")},
		}},
		{title: "Output tok/s per GPU", unit: "short", about: "Generated tokens a second, divided by the GPUs that dcgm-exporter sees on the node: all of them, also those that the engines do not use.", queries: []query{
			{expr: s.sum(rate(engine(generated), around)) + " / " + s.count(job(gpuActivity)), legend: s.legend("")},
		}},
		{title: "Output tok/s per user", unit: "short", about: "Generated tokens a second, divided by the running requests: how fast one answer grows.", queries: []query{
			{expr: s.sum(rate(engine(generated), around)) + " / (" + s.sum(engine(running)) + " > 0)", legend: s.legend("")},
		}},
		{title: "Finished requests by reason", view: stack, unit: "reqps", about: "stop: the model ended its answer; length: it was cut off at max_tokens; abort: the client went away; error; repetition. Many aborts: timeouts of the driver.", queries: []query{
			{expr: byReason.sum(rate(engine(finished), around)), legend: byReason.legend("")},
		}},
		{title: "Finish reason share", view: stack, unit: "percentunit", full: true, about: "The same as a share. A growing share of length means answers that are graded although they are incomplete.", queries: []query{
			{expr: byReason.sum(rate(engine(finished), around)) + onto(byReason) + "(" + s.sum(rate(engine(finished), around)) + " > 0)", legend: byReason.legend("")},
		}},
		{title: "Prompt length", unit: "short", about: "Tokens of the prompts of finished requests.", queries: lengths(s, "vllm_request_prompt_tokens")},
		{title: "Output length", unit: "short", about: "Tokens of the answers of finished requests. A p99 at max_tokens: answers are cut off.", queries: lengths(s, "vllm_request_generation_tokens")},
		{title: "max_tokens of requests", unit: "short", about: "What the clients allowed. No value: they set no limit.", queries: lengths(s, "vllm_request_params_max_tokens")},
		distribution("Prompt length distribution", "vllm_request_prompt_tokens", "short"),
		distribution("Output length distribution", "vllm_request_generation_tokens", "short"),
		{title: "Max generation tokens in sequence group", unit: "short", about: "The longest answer among those of one request (n > 1).", queries: lengths(s, "vllm_request_max_num_generation_tokens")},
	}}
}

// onto divides an aggregation by one that lacks its last label.
func onto(fine scope) string { return " / ignoring (" + fine[len(fine)-1] + ") group_left () " }

func lengths(s scope, histogram string) []query {
	return []query{
		{expr: s.quantile(.5, histogram, around), legend: s.legend("p50")},
		{expr: s.quantile(.99, histogram, around), legend: s.legend("p99")},
		{expr: s.average(histogram, around), legend: s.legend("mean")},
	}
}
