// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"strings"
)

// The labels by which everything is filtered, and the one that engines alone have. None
// has a dot, so that they have the same name in every backend.
const (
	ofRun    = `cluster=~"$cluster",user=~"$user",benchmark=~"$benchmark",model=~"$model",run_id=~"$run_id"`
	ofEngine = ofRun + `,gym_service=~"$service"`
	answers  = `up{` + ofEngine + `,gym_service!=""}`
)

// Windows of a rate: around each point of a curve, and all that is shown.
const (
	around = "$__rate_interval"
	shown  = "$__range"
)

// step of the subqueries that look for moments of a run.
const step = "15s"

// engine selects an engine's series, job those of any producer of a job.
func engine(name string, more ...string) string { return selector(name, ofEngine, more) }

func job(name string, more ...string) string { return selector(name, ofRun, more) }

func selector(name, filter string, more []string) string {
	return name + "{" + strings.Join(append([]string{filter}, more...), ",") + "}"
}

// counter selects a counter of dcgm-exporter. Prometheus appends _total to a counter whose
// name lacks it, unless it was told not to; VictoriaMetrics does so when it was told to.
func counter(name string) string {
	return fmt.Sprintf(`{__name__=~"%s(_total)?",%s}`, name, ofRun)
}

func rate(of, window string) string { return "rate(" + of + "[" + window + "])" }

func increase(of string) string { return "increase(" + of + "[" + shown + "])" }

// scope is what a dashboard tells apart: nothing when it shows one run, the runs when it
// shows many.
type scope []string

// with is the scope with more labels.
func (s scope) with(labels ...string) scope { return append(append(scope{}, s...), labels...) }

// legend names the labels of the scope, after what the curve is.
func (s scope) legend(what string) string {
	var parts []string
	if what != "" {
		parts = append(parts, what)
	}
	for _, label := range s {
		parts = append(parts, "{{"+label+"}}")
	}
	return strings.Join(parts, " ")
}

func (s scope) aggregate(by, of string) string {
	if len(s) == 0 {
		return by + "(" + of + ")"
	}
	return by + " by (" + strings.Join(s, ", ") + ") (" + of + ")"
}

func (s scope) sum(of string) string   { return s.aggregate("sum", of) }
func (s scope) max(of string) string   { return s.aggregate("max", of) }
func (s scope) min(of string) string   { return s.aggregate("min", of) }
func (s scope) mean(of string) string  { return s.aggregate("avg", of) }
func (s scope) count(of string) string { return s.aggregate("count", of) }

// quotient has no value while there is nothing to divide by, instead of NaN.
func (s scope) quotient(part, whole string) string {
	return s.sum(part) + " / (" + s.sum(whole) + " > 0)"
}

// share is a quotient whose part may not exist, like errors that never happened.
func (s scope) share(part, whole string) string {
	return "(" + s.sum(part) + " or 0 * " + s.sum(whole) + ") / (" + s.sum(whole) + " > 0)"
}

// quantile of a histogram, interpolated within its bucket.
func (s scope) quantile(q float64, histogram, window string) string {
	return fmt.Sprintf("histogram_quantile(%g, %s)", q, s.with("le").sum(rate(engine(histogram+"_bucket"), window)))
}

// average of a histogram, which is exact.
func (s scope) average(histogram, window string) string {
	return s.quotient(rate(engine(histogram+"_sum"), window), rate(engine(histogram+"_count"), window))
}

// attainment is the share of observations at or below a bucket's bound.
func (s scope) attainment(histogram, bound, window string) string {
	return s.quotient(rate(engine(histogram+"_bucket", `le="`+bound+`"`), window), rate(engine(histogram+"_count"), window))
}
