// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package series

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Exported is what one producer exported: the last value of every series, and its types.
type Exported struct {
	Set   Set
	Types Types
}

// FromOTLP reads batches in the order of their export and keeps the last value of every
// series of the resource that wanted accepts. Points without a value (a target that
// vanished) count as no series.
func FromOTLP(batches []pmetric.Metrics, wanted func(resource pcommon.Map) bool) Exported {
	e := Exported{Set{}, Types{}}
	for _, batch := range batches {
		for _, rm := range batch.ResourceMetrics().All() {
			if !wanted(rm.Resource().Attributes()) {
				continue
			}
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					e.add(m)
				}
			}
		}
	}
	return e
}

func (e Exported) add(m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		e.Types[m.Name()] = "gauge"
		e.addNumbers(m.Name(), m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		if m.Sum().IsMonotonic() {
			e.Types[m.Name()] = "counter"
		} else {
			e.Types[m.Name()] = "non-monotonic sum"
		}
		e.addNumbers(m.Name(), m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		e.Types[m.Name()] = "histogram"
		e.addHistograms(m.Name(), m.Histogram().DataPoints())
	case pmetric.MetricTypeSummary:
		e.Types[m.Name()] = "summary"
		e.addSummaries(m.Name(), m.Summary().DataPoints())
	}
}

func (e Exported) addNumbers(name string, points pmetric.NumberDataPointSlice) {
	for _, p := range points.All() {
		if p.Flags().NoRecordedValue() {
			continue
		}
		value := p.DoubleValue()
		if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
			value = float64(p.IntValue())
		}
		e.Set[Key(name, labelsOf(p.Attributes()))] = value
	}
}

func (e Exported) addHistograms(name string, points pmetric.HistogramDataPointSlice) {
	for _, p := range points.All() {
		if p.Flags().NoRecordedValue() {
			continue
		}
		labels := labelsOf(p.Attributes())
		e.Set[Key(name+"_sum", labels)] = p.Sum()
		e.Set[Key(name+"_count", labels)] = float64(p.Count())
		var cumulative uint64
		for i, bound := range p.ExplicitBounds().All() {
			cumulative += p.BucketCounts().At(i)
			e.Set[Key(name+"_bucket", labels.with("le", number(bound)))] = float64(cumulative)
		}
	}
}

func (e Exported) addSummaries(name string, points pmetric.SummaryDataPointSlice) {
	for _, p := range points.All() {
		if p.Flags().NoRecordedValue() {
			continue
		}
		labels := labelsOf(p.Attributes())
		e.Set[Key(name+"_sum", labels)] = p.Sum()
		e.Set[Key(name+"_count", labels)] = float64(p.Count())
		for _, q := range p.QuantileValues().All() {
			e.Set[Key(name, labels.with("quantile", number(q.Quantile())))] = q.Value()
		}
	}
}

// labelsOf leaves out gym_service, which the collector adds to every series of an engine.
func labelsOf(attributes pcommon.Map) Labels {
	labels := Labels{}
	for name, value := range attributes.All() {
		if name != "gym_service" {
			labels[name] = value.AsString()
		}
	}
	return labels
}
