// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

// Moments of a job, as Unix time, to the interval of the scrapes. A job is a benchmark of a
// run; one that was requeued is two.
var ofJob = scope{"benchmark", "slurm_job_id"}

func begun() string { return ofJob.min(over("min", "timestamp("+job("up")+")")) }

// ready is when the last of the engines answered.
func ready() string {
	return ofJob.max(over("min", "timestamp("+answers+") and "+answers+" == 1"))
}

// first is when a scrape first found a prompt that was computed.
func first() string {
	return ofJob.min(over("min", "timestamp("+engine(prompted)+") and "+engine(prompted)+" > 0"))
}

// last is the last scrape that found a request in an engine.
func last() string {
	return ofJob.max(over("max", "timestamp("+engine(running)+") and "+engine(running)+" > 0"))
}

func ended() string { return ofJob.max(over("max", "timestamp("+job("up")+")")) }

// over looks for the earliest or latest of the moments within what is shown.
func over(which, moment string) string {
	return which + "_over_time((" + moment + ")[" + shown + ":" + step + "])"
}

// course is the run from its begin to its end.
func course() section {
	const iso = "dateTimeAsIso"
	millis := func(moment string) string { return "1000 * " + moment }
	return section{title: "Phases of the run", panels: []panel{
		{
			title: "Phases", view: states, about: "From the first scrape on: the engine loads its model and does not answer; it is ready; it serves; it idles, between requests or after the last one. A long idle time after the last request is GPU time that nobody used.",
			queries: []query{{expr: phase(), legend: "{{benchmark}} {{gym_service}} {{slurm_job_id}}"}},
			states: []state{
				{"0", "not answering", "red"},
				{"1", "ready, no request yet", "blue"},
				{"2", "idle", "yellow"},
				{"3", "first requests", "green"},
				{"4", "serving", "green"},
			},
		},
		{title: "Moments", view: sheet, width: 12, about: "To the scrape interval. The first and last request are those that a scrape saw. Choose a time range that holds the whole run.", queries: []query{
			{expr: millis(begun()), legend: "collector started", unit: iso},
			{expr: millis(ready()), legend: "engines ready", unit: iso},
			{expr: millis(first()), legend: "first request", unit: iso},
			{expr: millis(last()), legend: "last request", unit: iso},
			{expr: millis(ended()), legend: "last sample", unit: iso},
		}},
		{title: "Durations", view: sheet, width: 12, about: "Starting: until the engines answered. Preparing: the driver before its first request. Serving: from the first to the last request. After: grading, and whatever else the driver does with the GPUs idle.", queries: []query{
			{expr: ready() + " - " + begun(), legend: "starting", unit: "s"},
			{expr: first() + " - " + ready(), legend: "preparing", unit: "s"},
			{expr: last() + " - " + first(), legend: "serving", unit: "s"},
			{expr: ended() + " - " + last(), legend: "after", unit: "s"},
			{expr: ofJob.sum(increase(engine(generated))) + " / (" + last() + " - " + first() + " > 0)", legend: "output tok/s while serving", unit: "short"},
		}},
	}}
}

// phase numbers what an engine does: 0 when it does not answer, then 1, 1 more when it has
// ever computed a prompt, 2 more when it has a request now.
func phase() string {
	by := scope{"benchmark", "slurm_job_id", "gym_service"}
	up := by.max(answers)
	return "(" + up + " * (1 + clamp_max(" + by.sum(engine(prompted)) + ", 1) + 2 * clamp_max(" +
		by.sum(engine(running)) + " + " + by.sum(engine(waiting)) + ", 1))) or (" + up + " == 0)"
}

// shading marks phases in every panel.
var shading = []query{
	{legend: "engine not answering", expr: "1 - min(" + answers + ") > 0"},
	{legend: "no request in the engines", expr: "1 - clamp_max(sum(" + engine(running) + ") + sum(" + engine(waiting) + "), 1) > 0"},
}

const deliveryText = "These panels show what **arrived here**: whether samples are missing, and how old the newest is. " +
	"The collector of a job has no metrics of its own. What it accepted, delivered and could not deliver it writes into " +
	"`<run>/<benchmark>/otel/delivery.json`, and into the last lines of the job's log; " +
	"`gym-submit replay <run>` sends what is missing."

func arrival() section {
	const producer = "{{service_name_override}}{{service.name.override}} {{benchmark}}"
	raw := func(title, about, unit, expr string) panel {
		return panel{title: title, about: about, unit: unit, queries: []query{{expr: expr, legend: producer}}}
	}
	return section{title: "Delivery (as seen from the backend)", collapsed: true, panels: []panel{
		{title: "What this shows", about: "How to read this row.", view: prose},
		{title: "Age of the newest sample", view: total, width: 6, height: 8, unit: "s", limits: atMost(60, 300), about: "For a running job: above two scrape intervals the collector does not deliver, or the backend is slow. For one that has ended: how long ago.", queries: one("time() - max(" + over("max", "timestamp("+job("up")+")") + ")")},
		raw("Scrapes at the backend per minute", "Flat, at 60 s / scrape interval, when nothing is missing. A dip that stays after the run has ended: replay it.", "short", "count_over_time("+job("up")+"[1m])"),
		raw("Targets", "1: the last scrape of the target succeeded. 0: it did not answer; dcgm or node at 0 from the begin to the end: no exporter on this port of the node.", "short", job("up")),
		raw("Samples a scrape", "What a target's page held. A fall: the page is cut off or the process was restarted.", "short", job("scrape_samples_scraped")),
		raw("Scrape duration", "Near the scrape's time limit (5 s or the interval): the target is overloaded, and scrapes get lost.", "s", job("scrape_duration_seconds")),
	}}
}
