// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package otlpfile

import (
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Halves splits a batch of at least two items into two with half of its items each, in their order. The batch
// stays as it was.
func Halves(batch Batch) (first, second Batch) {
	n := Items(batch)
	return part(batch, 0, n/2), part(batch, n/2, n)
}

// Copy returns a batch of its own.
func Copy(batch Batch) Batch { return part(batch, 0, Items(batch)) }

// part copies the items from one place to another, with the resources and scopes around them.
func part(batch Batch, from, to int) Batch {
	var c Batch
	switch b := batch.(type) {
	case pmetric.Metrics:
		m := pmetric.NewMetrics()
		b.CopyTo(m)
		c = m
	case ptrace.Traces:
		t := ptrace.NewTraces()
		b.CopyTo(t)
		c = t
	case plog.Logs:
		l := plog.NewLogs()
		b.CopyTo(l)
		c = l
	}
	Keep(c, from, to)
	return c
}

// Keep removes all items but those from one place to another, and what is empty without them.
func Keep(batch Batch, from, to int) {
	keep := &window{from: from, to: to}
	switch b := batch.(type) {
	case pmetric.Metrics:
		keep.metrics(b)
	case ptrace.Traces:
		b.ResourceSpans().RemoveIf(func(r ptrace.ResourceSpans) bool {
			r.ScopeSpans().RemoveIf(func(s ptrace.ScopeSpans) bool {
				s.Spans().RemoveIf(func(ptrace.Span) bool { return keep.outside() })
				return s.Spans().Len() == 0
			})
			return r.ScopeSpans().Len() == 0
		})
	case plog.Logs:
		b.ResourceLogs().RemoveIf(func(r plog.ResourceLogs) bool {
			r.ScopeLogs().RemoveIf(func(s plog.ScopeLogs) bool {
				s.LogRecords().RemoveIf(func(plog.LogRecord) bool { return keep.outside() })
				return s.LogRecords().Len() == 0
			})
			return r.ScopeLogs().Len() == 0
		})
	}
}

// window counts the items that pass by and tells those inside from those outside.
type window struct{ from, to, next int }

func (w *window) outside() bool {
	w.next++
	return w.next <= w.from || w.next > w.to
}

func (w *window) metrics(batch pmetric.Metrics) {
	batch.ResourceMetrics().RemoveIf(func(r pmetric.ResourceMetrics) bool {
		r.ScopeMetrics().RemoveIf(func(s pmetric.ScopeMetrics) bool {
			s.Metrics().RemoveIf(w.emptied)
			return s.Metrics().Len() == 0
		})
		return r.ScopeMetrics().Len() == 0
	})
}

// emptied removes a metric's points outside the window and reports whether none is left.
func (w *window) emptied(m pmetric.Metric) bool {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		m.Gauge().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return w.outside() })
		return m.Gauge().DataPoints().Len() == 0
	case pmetric.MetricTypeSum:
		m.Sum().DataPoints().RemoveIf(func(pmetric.NumberDataPoint) bool { return w.outside() })
		return m.Sum().DataPoints().Len() == 0
	case pmetric.MetricTypeHistogram:
		m.Histogram().DataPoints().RemoveIf(func(pmetric.HistogramDataPoint) bool { return w.outside() })
		return m.Histogram().DataPoints().Len() == 0
	case pmetric.MetricTypeExponentialHistogram:
		m.ExponentialHistogram().DataPoints().RemoveIf(func(pmetric.ExponentialHistogramDataPoint) bool { return w.outside() })
		return m.ExponentialHistogram().DataPoints().Len() == 0
	case pmetric.MetricTypeSummary:
		m.Summary().DataPoints().RemoveIf(func(pmetric.SummaryDataPoint) bool { return w.outside() })
		return m.Summary().DataPoints().Len() == 0
	case pmetric.MetricTypeEmpty:
	}
	return true
}
