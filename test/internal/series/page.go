// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package series

import (
	"fmt"
	"math"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// FromPage reads a Prometheus page in text format. Families without samples are left out.
func FromPage(page string) (Set, Types, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		return nil, nil, fmt.Errorf("parse the metrics page: %w", err)
	}
	set, types := Set{}, Types{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			types[name] = strings.ToLower(family.GetType().String())
			set.addSample(name, m)
		}
	}
	return set, types, nil
}

func (s Set) addSample(name string, m *dto.Metric) {
	labels := Labels{}
	for _, pair := range m.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	switch {
	case m.GetCounter() != nil:
		s[Key(name, labels)] = m.GetCounter().GetValue()
	case m.GetGauge() != nil:
		s[Key(name, labels)] = m.GetGauge().GetValue()
	case m.GetUntyped() != nil:
		s[Key(name, labels)] = m.GetUntyped().GetValue()
	case m.GetHistogram() != nil:
		s.addHistogramSample(name, labels, m.GetHistogram())
	case m.GetSummary() != nil:
		s[Key(name+"_sum", labels)] = m.GetSummary().GetSampleSum()
		s[Key(name+"_count", labels)] = float64(m.GetSummary().GetSampleCount())
		for _, q := range m.GetSummary().GetQuantile() {
			s[Key(name, labels.with("quantile", number(q.GetQuantile())))] = q.GetValue()
		}
	}
}

func (s Set) addHistogramSample(name string, labels Labels, h *dto.Histogram) {
	s[Key(name+"_sum", labels)] = h.GetSampleSum()
	s[Key(name+"_count", labels)] = float64(h.GetSampleCount())
	for _, b := range h.GetBucket() {
		if !math.IsInf(b.GetUpperBound(), 1) { // the same as the count
			s[Key(name+"_bucket", labels.with("le", number(b.GetUpperBound())))] = float64(b.GetCumulativeCount())
		}
	}
}
