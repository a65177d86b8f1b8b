// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

const (
	finished   = "vllm_request_success_total"
	prompted   = "vllm_prompt_tokens_total"
	generated  = "vllm_generation_tokens_total"
	running    = "vllm_num_requests_running"
	waiting    = "vllm_num_requests_waiting"
	kvCache    = "vllm_kv_cache_usage_perc"
	preempted  = "vllm_num_preemptions_total"
	prefixHits = "vllm_prefix_cache_hits_total"
	prefixAsks = "vllm_prefix_cache_queries_total"
	httpAnswer = "http_requests_total"
)

// overview is the same for one run and for many: it does not tell anything apart.
func overview() section {
	var s scope
	return section{title: "Overview", panels: []panel{
		{title: "Requests / s", view: tile, unit: "reqps", about: "Finished requests, for whatever reason. Nothing while requests are running: they have not finished yet.", queries: one(s.sum(rate(engine(finished), around)))},
		{title: "Input tok/s", view: tile, unit: "short", about: "Prompt tokens, those from a cache included.", queries: one(s.sum(rate(engine(prompted), around)))},
		{title: "Output tok/s", view: tile, unit: "short", about: "Generated tokens. Low with many running requests: look at GPU activity and at the KV cache; low with few: the driver does not send more.", queries: one(s.sum(rate(engine(generated), around)))},
		{title: "Running", view: tile, unit: "short", about: "Requests being computed. The driver's concurrency, when nothing waits.", queries: one(s.sum(engine(running)))},
		{title: "Waiting", view: tile, unit: "short", limits: atMost(1, 100), about: "Requests that the engine has but does not compute yet. See the scheduler queue for the reason.", queries: one(s.sum(engine(waiting)))},
		{title: "KV cache", view: tile, unit: "percentunit", limits: atMost(.9, .98), about: "Fullest engine. From about 0.98 on requests wait, or are preempted and computed again.", queries: one(s.max(engine(kvCache)))},
		{title: "Engines", view: tile, unit: "short", about: "Engines that answer.", queries: one(s.count(engine(running)))},
		{title: "Unreachable", view: tile, unit: "short", limits: []limit{{1, "red"}}, about: "Engines that do not answer a scrape: while they load their model, or when they died. Their logs are in <run>/<benchmark>/logs.", queries: one(s.sum("1 - " + answers))},

		{title: "TTFT p95", view: total, unit: "s", about: "Over all that is shown.", queries: one(s.quantile(.95, ttft, shown))},
		{title: "ITL p95", view: total, unit: "s", about: "Over all that is shown.", queries: one(s.quantile(.95, itl, shown))},
		{title: "E2E p95", view: total, unit: "s", about: "Over all that is shown.", queries: one(s.quantile(.95, e2el, shown))},
		{title: "TTFT SLO", view: total, unit: "percentunit", limits: atLeast(.9, .99), about: "Share of first tokens within $ttft_slo s, over all that is shown.", queries: one(s.attainment(ttft, "$ttft_slo", shown))},
		{title: "TPOT SLO", view: total, unit: "percentunit", limits: atLeast(.9, .99), about: "Share of requests with a time per output token within $tpot_slo s, over all that is shown.", queries: one(s.attainment(tpot, "$tpot_slo", shown))},
		{title: "Prefix hits", view: total, unit: "percentunit", about: "Tokens found in the prefix cache, of those looked up.", queries: one(s.quotient(increase(engine(prefixHits)), increase(engine(prefixAsks))))},
		{title: "Preemptions", view: total, unit: "short", limits: atMost(1, 100), about: "Requests pushed out of the KV cache and computed again later. Give the engine more cache or less concurrency.", queries: one(s.sum(increase(engine(preempted))))},
		{title: "5xx ratio", view: total, unit: "percentunit", limits: atMost(.001, .01), about: "Server errors among the engines' HTTP answers. Each is a request that the driver lost or sent again.", queries: one(s.share(increase(engine(httpAnswer, serverErrors)), increase(engine(httpAnswer))))},
	}}
}

// one is the query of a panel that shows one number.
func one(expr string) []query { return []query{{expr: expr}} }

func summary() section {
	by := scope{"model_name"}
	return section{title: "Per-model summary", panels: []panel{{
		title: "Per-model summary", view: sheet,
		about: "Over all that is shown. Counts are increases and may be fractions of a request off.",
		queries: append([]query{
			{expr: by.count("last_over_time(" + engine(running) + "[" + shown + "])"), legend: "engines", unit: "short"},
		}, results(by)...),
	}}}
}

// results are the columns that say how a run, a model or an engine did.
func results(by scope) []query {
	return []query{
		{expr: by.sum(increase(engine(finished))), legend: "finished", unit: "short"},
		{expr: by.share(increase(engine(finished, `finished_reason="error"`)), increase(engine(finished))), legend: "error share", unit: "percentunit"},
		{expr: by.sum(increase(engine(prompted))), legend: "input tokens", unit: "short"},
		{expr: by.sum(increase(engine(generated))), legend: "output tokens", unit: "short"},
		{expr: by.quantile(.95, ttft, shown), legend: "TTFT p95", unit: "s"},
		{expr: by.quantile(.95, itl, shown), legend: "ITL p95", unit: "s"},
		{expr: by.quantile(.95, tpot, shown), legend: "TPOT p95", unit: "s"},
		{expr: by.quantile(.95, e2el, shown), legend: "E2EL p95", unit: "s"},
		{expr: by.average(queueTime, shown), legend: "mean queue time", unit: "s"},
		{expr: by.max("max_over_time(" + engine(kvCache) + "[" + shown + "])"), legend: "peak KV cache", unit: "percentunit"},
		{expr: by.sum(increase(engine(preempted))), legend: "preemptions", unit: "short"},
		{expr: by.quotient(increase(engine(prefixHits)), increase(engine(prefixAsks))), legend: "prefix hits", unit: "percentunit"},
	}
}
