// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

// ofRuns tells runs apart, and the benchmarks of each.
var ofRuns = scope{"run_id", "benchmark"}

func manyRuns() Dashboard {
	s := ofRuns
	return Dashboard{
		uid: runsUID, title: "LLM evaluation / runs", from: "now-24h", many: true,
		about: "Runs side by side. A run's id leads to its own dashboard.",
		sections: []section{
			inventory(), overview(), comparison(), latency(s), throughput(s), scheduler(s), efficiency(), caches(s), overHTTP(s), speculative(s), arrival(),
		},
	}
}

func inventory() section {
	var s scope
	return section{title: "Inventory", panels: []panel{
		{title: "Runs", view: total, unit: "short", about: "Runs with data in what is shown.", queries: one(s.count(scope{"run_id"}.count("last_over_time(" + job("up") + "[" + shown + "])")))},
		{title: "Jobs", view: total, unit: "short", about: "Jobs, one a benchmark; a requeued one counts twice.", queries: one(s.count(scope{"run_id", "slurm_job_id"}.count("last_over_time(" + job("up") + "[" + shown + "])")))},
		{title: "Jobs now", view: tile, unit: "short", about: "Jobs that deliver at this moment.", queries: one(s.count(scope{"run_id", "slurm_job_id"}.count(job("up"))))},
		{title: "Power", view: tile, unit: "watt", about: "Of all GPUs of the nodes of these jobs.", queries: one(s.sum(job(gpuPower)))},
	}}
}

func comparison() section {
	by := scope{"run_id", "benchmark", "cluster", "user", "model"}
	return section{title: "Comparison", panels: []panel{{
		title: "Runs", view: sheet, height: 12, linked: true,
		about: "A row a benchmark of a run, over all that is shown; newest first. Counts are increases and may be fractions of a request off: the exact final counters are in the run's own files.",
		queries: append(results(by),
			query{expr: by.mean("avg_over_time(" + job(gpuActivity) + "[" + shown + "])"), legend: "GPU activity", unit: "percent"},
			query{expr: by.sum(increase(counter(gpuEnergy))) + " / 1000 / (" + by.sum(increase(engine(generated))) + " > 0)", legend: "J/token", unit: "joule"},
		),
	}}}
}

func efficiency() section {
	s := ofRuns
	return section{title: "Efficiency", panels: []panel{
		{title: "GPU activity", unit: "percent", about: "Mean over the GPUs of the node. Low throughout: a smaller allocation would do, or the driver does not send enough.", queries: []query{{expr: s.mean(job(gpuActivity)), legend: s.legend("")}}},
		{title: "GPU memory used", unit: "bytes", about: "Of all GPUs of the node.", queries: []query{{expr: s.sum(job(gpuUsed)) + " * " + mebibyte, legend: s.legend("")}}},
		{title: "GPU power", unit: "watt", about: "Of all GPUs of the node.", queries: []query{{expr: s.sum(job(gpuPower)), legend: s.legend("")}}},
		{title: "Joules per output token", unit: "joule", about: "Power over generated tokens a second. Compare runs of the same benchmark only.", queries: []query{{expr: s.sum(job(gpuPower)) + " / (" + s.sum(rate(engine(generated), around)) + " > 0)", legend: s.legend("")}}},
		{title: "Node CPU", unit: "percentunit", full: true, about: "Busy share of the node's CPUs. Near 1 the client is the limit.", queries: []query{{expr: "1 - " + s.mean(rate(job("node_cpu_seconds_total", `mode="idle"`), around)), legend: s.legend("")}}},
		{title: "Node network", unit: "Bps", about: "Received and sent, all devices but the loopback.", queries: []query{
			{expr: s.sum(rate(job("node_network_receive_bytes_total", notLoopback), around)), legend: s.legend("receive")},
			{expr: s.sum(rate(job("node_network_transmit_bytes_total", notLoopback), around)), legend: s.legend("transmit")},
		}},
	}}
}
