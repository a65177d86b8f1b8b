// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package dashboard makes the Grafana dashboards that a site installs: one for one run, one
// for many. They share their panels, and use the words of vLLM's own dashboards.
//
// The queries keep to what all Prometheus-compatible backends share: no label with a dot,
// no function of one backend alone, counters by either of their names.
package dashboard

// Stable, so that links between the two, and bookmarks, survive an update.
const (
	runUID  = "gym-otelcol-run"
	runsUID = "gym-otelcol-runs"
)

// Dashboards are the files and what is in them.
func Dashboards() map[string]Dashboard {
	return map[string]Dashboard{"run.json": oneRun(), "runs.json": manyRuns()}
}

// Dashboard is a dashboard before it is laid out.
type Dashboard struct {
	uid, title, about string
	from              string
	many              bool // shows several runs at once
	sections          []section
}

func oneRun() Dashboard {
	var s scope
	return Dashboard{
		uid: runUID, title: "LLM evaluation / one run", from: "now-6h",
		about: "One run of gym-submit: engines, GPUs, node and delivery. Choose a time range that holds the run.",
		sections: []section{
			overview(), course(), summary(), latency(s), throughput(s), scheduler(s), gpus(),
			caches(s), overHTTP(s), engines(), speculative(s), nodes(), arrival(),
		},
	}
}
