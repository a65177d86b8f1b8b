// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

// Engine-side histograms: proxy, tokenizer of the client and network come on top.
const (
	ttft      = "vllm_time_to_first_token_seconds"
	itl       = "vllm_inter_token_latency_seconds"
	tpot      = "vllm_request_time_per_output_token_seconds"
	e2el      = "vllm_e2e_request_latency_seconds"
	queueTime = "vllm_request_queue_time_seconds"
	prefill   = "vllm_request_prefill_time_seconds"
	decode    = "vllm_request_decode_time_seconds"
)

func latency(s scope) section {
	return section{title: "Latency (engine side, from histograms)", panels: []panel{
		percentiles(s, "TTFT", ttft, "Time to first token: from the request's arrival in the engine to its first token, the wait in the queue included. Quantiles are interpolated within a bucket, the mean is exact. High with a high queue time: too many requests at once, or the KV cache is full. High without one: long prompts."),
		percentiles(s, "ITL", itl, "Inter-token latency: the gap between two outputs of a request, one observation a gap (AIPerf calls this ICL). With speculative decoding one output carries several tokens: see the acceptance length. It rises with the batch, and when long prompts are prefilled in between."),
		percentiles(s, "TPOT", tpot, "Time per output token: (latency - TTFT) / (tokens - 1), one observation a request, when it has finished (AIPerf calls this ITL)."),
		percentiles(s, "End-to-end", e2el, "E2EL: the whole request in the engine, from arrival to the last token. Compare with the lengths of the answers before you call it slow."),
		percentiles(s, "Queue time", queueTime, "Time in WAITING before a request was computed. Look at the scheduler queue, by reason, and at the KV cache."),
		phases(s),
		attainments(s),
		distribution("TTFT distribution", ttft, "s"),
		distribution("ITL distribution", itl, "s"),
		distribution("E2E distribution", e2el, "s"),
	}}
}

// percentiles shows p50, p95, p99 and the mean of one run, p95 of each of many.
func percentiles(s scope, title, histogram, about string) panel {
	p := panel{title: title, about: about, unit: "s"}
	if len(s) > 0 {
		p.title += " p95"
		p.queries = []query{{expr: s.quantile(.95, histogram, around), legend: s.legend("")}}
		return p
	}
	p.queries = []query{
		{expr: s.quantile(.5, histogram, around), legend: "p50"},
		{expr: s.quantile(.95, histogram, around), legend: "p95"},
		{expr: s.quantile(.99, histogram, around), legend: "p99"},
		{expr: s.average(histogram, around), legend: "mean"},
	}
	return p
}

func phases(s scope) panel {
	return panel{
		title: "Mean time per request phase", view: stack, unit: "s",
		about: "Where the time of a request goes: waiting, prefill, decode. The three add up to about E2EL.",
		queries: []query{
			{expr: s.average(queueTime, around), legend: s.legend("queue")},
			{expr: s.average(prefill, around), legend: s.legend("prefill")},
			{expr: s.average(decode, around), legend: s.legend("decode")},
		},
	}
}

func attainments(s scope) panel {
	return panel{
		title: "SLO attainment", unit: "percentunit", full: true,
		about: "Share of first tokens, and of requests, within the chosen limits. The limits are bucket bounds, so the shares are exact. This is not goodput: a histogram does not know whether the same request met both.",
		queries: []query{
			{expr: s.attainment(ttft, "$ttft_slo", around), legend: s.legend("TTFT ≤ $ttft_slo s")},
			{expr: s.attainment(tpot, "$tpot_slo", around), legend: s.legend("TPOT ≤ $tpot_slo s")},
		},
	}
}

func distribution(title, histogram, unit string) panel {
	return panel{
		title: title, view: heat, unit: unit,
		about: "How many observations a second fell into each bucket. Two bands are two kinds of requests, which a quantile hides.",
		queries: []query{
			{expr: scope{"le"}.sum(rate(engine(histogram+"_bucket"), around)), legend: "{{le}}"},
		},
	}
}
