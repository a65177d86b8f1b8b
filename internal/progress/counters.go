// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// What the counters of the engines are called.
const (
	requests = iota
	tokens
)

var names = map[string]int{
	"vllm_request_success_total":     requests,
	"vllm_generation_tokens_total":   tokens,
	"sglang_num_requests_total":      requests,
	"sglang_generation_tokens_total": tokens,
}

// engineMetrics are words that a line about an engine holds; others need not be taken apart.
var engineMetrics = [][]byte{[]byte(`"vllm_generation_tokens_total"`), []byte(`"sglang_generation_tokens_total"`)}

// counters are the series of one job in a part of its file.
type counters struct {
	job    string
	series map[string]*span
	last   time.Time
}

// span is one counter over time.
type span struct {
	kind   int
	points []point
}

type point struct {
	at    time.Time
	value float64
}

func (c *counters) add(batch otlpfile.Batch) {
	metrics, ok := batch.(pmetric.Metrics)
	if !ok {
		return
	}
	for _, rm := range metrics.ResourceMetrics().All() {
		// A requeued or resubmitted job goes on in the same file, under another id.
		if id, found := rm.Resource().Attributes().Get("slurm_job_id"); !found || id.AsString() != c.job {
			continue
		}
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				c.metric(rm.Resource(), m)
			}
		}
	}
}

func (c *counters) metric(resource pcommon.Resource, m pmetric.Metric) {
	kind, known := names[m.Name()]
	if !known || m.Type() != pmetric.MetricTypeSum {
		return
	}
	for _, p := range m.Sum().DataPoints().All() {
		if p.Flags().NoRecordedValue() {
			continue // the engine is gone, its last value stands
		}
		value := p.DoubleValue()
		if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
			value = float64(p.IntValue())
		}
		c.point(keyOf(resource, m.Name(), p), kind, point{p.Timestamp().AsTime(), value})
	}
}

// keyOf names a series: the producer, and the labels of the point.
func keyOf(resource pcommon.Resource, name string, p pmetric.NumberDataPoint) string {
	text := func(key string) string {
		value, found := resource.Attributes().Get(key)
		if !found {
			return ""
		}
		return value.AsString()
	}
	// fmt prints a map in the order of its keys.
	return fmt.Sprint(text("service.instance.id"), "|", text("service.name.override"), "|", name, "|", p.Attributes().AsRaw())
}

func (c *counters) point(key string, kind int, p point) {
	s := c.series[key]
	if s == nil {
		s = &span{kind: kind}
		c.series[key] = s
	}
	s.points = append(s.points, p)
	if p.at.After(c.last) {
		c.last = p.at
	}
}

// complete reports whether every series was seen twice. Between two scrapes of one engine lies
// one of each other: then none of them is missing.
func (c *counters) complete() bool {
	for _, s := range c.series {
		if len(s.points) < 2 {
			return false
		}
	}
	return len(c.series) > 0
}

// recent is the time over which the rate is taken.
const recent = time.Minute

func (c *counters) progress() *Progress {
	if len(c.series) == 0 {
		return nil
	}
	p := Progress{AsOf: c.last.UTC()}
	rate, rated := 0.0, false
	for _, s := range c.series {
		last := int64(s.points[len(s.points)-1].value)
		if s.kind == requests {
			p.RequestsFinished += last
			continue
		}
		p.GenerationTokens += last
		if r, ok := s.rate(c.last); ok {
			rate, rated = rate+r, true
		}
	}
	if rated {
		p.TokensPerSecond = &rate
	}
	return &p
}

// rate is the growth a second of late. A counter that fell began anew, and what it had before
// does not count.
func (s *span) rate(now time.Time) (perSecond float64, ok bool) {
	last := s.points[len(s.points)-1]
	first := last
	for i := len(s.points) - 2; i >= 0; i-- {
		p := s.points[i]
		if p.value > first.value || now.Sub(p.at) > recent {
			break
		}
		first = p
	}
	seconds := last.at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return 0, false
	}
	return (last.value - first.value) / seconds, true
}
