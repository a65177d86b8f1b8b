// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var (
	testStart = pcommon.NewTimestampFromTime(time.Unix(1_760_000_000, 1))
	testNow   = pcommon.NewTimestampFromTime(time.Unix(1_760_000_015, 2))
)

// everyKindOfMetric has one metric of each type with every field set, so that comparing the whole shows
// any field that got lost.
func everyKindOfMetric(prefix string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.SetSchemaUrl("https://example.test/resource")
	rm.Resource().Attributes().PutStr("producer", "p")
	rm.Resource().SetDroppedAttributesCount(3)
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.SetSchemaUrl("https://example.test/scope")
	sm.Scope().SetName("scope")
	sm.Scope().SetVersion("1")
	sm.Scope().SetDroppedAttributesCount(2)
	putAll(sm.Scope().Attributes())

	newMetric := func(name string) pmetric.Metric {
		m := sm.Metrics().AppendEmpty()
		m.SetName(prefix + name)
		m.SetDescription("about " + name)
		m.SetUnit("s")
		m.Metadata().PutStr("prometheus.type", name)
		return m
	}
	fillGauge(newMetric("gauge").SetEmptyGauge())
	fillSum(newMetric("sum").SetEmptySum())
	fillHistogram(newMetric("histogram").SetEmptyHistogram())
	fillExponential(newMetric("exponential").SetEmptyExponentialHistogram())
	fillSummary(newMetric("summary").SetEmptySummary())
	newMetric("without_data")
	return md
}

func fillGauge(g pmetric.Gauge) {
	dp := g.DataPoints().AppendEmpty()
	dp.SetTimestamp(testNow)
	dp.SetDoubleValue(0.25)
	putAll(dp.Attributes())
	stale := g.DataPoints().AppendEmpty()
	stale.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
}

func fillSum(s pmetric.Sum) {
	s.SetIsMonotonic(true)
	s.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	dp := s.DataPoints().AppendEmpty()
	dp.SetStartTimestamp(testStart)
	dp.SetTimestamp(testNow)
	dp.SetIntValue(42)
	putAll(dp.Attributes())
	fillExemplar(dp.Exemplars().AppendEmpty())
}

func fillHistogram(h pmetric.Histogram) {
	h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	dp := h.DataPoints().AppendEmpty()
	dp.SetStartTimestamp(testStart)
	dp.SetTimestamp(testNow)
	dp.SetCount(6)
	dp.SetSum(1.5)
	dp.SetMin(0.1)
	dp.SetMax(0.9)
	dp.ExplicitBounds().FromRaw([]float64{0.2, 0.5})
	dp.BucketCounts().FromRaw([]uint64{1, 2, 3})
	putAll(dp.Attributes())
	fillExemplar(dp.Exemplars().AppendEmpty())
}

func fillExponential(h pmetric.ExponentialHistogram) {
	h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	dp := h.DataPoints().AppendEmpty()
	dp.SetStartTimestamp(testStart)
	dp.SetTimestamp(testNow)
	dp.SetCount(7)
	dp.SetSum(2.5)
	dp.SetScale(3)
	dp.SetZeroCount(1)
	dp.SetZeroThreshold(0.001)
	dp.Positive().SetOffset(2)
	dp.Positive().BucketCounts().FromRaw([]uint64{1, 0, 2})
	dp.Negative().SetOffset(-2)
	dp.Negative().BucketCounts().FromRaw([]uint64{3})
	putAll(dp.Attributes())
	fillExemplar(dp.Exemplars().AppendEmpty())
}

func fillSummary(s pmetric.Summary) {
	dp := s.DataPoints().AppendEmpty()
	dp.SetStartTimestamp(testStart)
	dp.SetTimestamp(testNow)
	dp.SetCount(8)
	dp.SetSum(3.5)
	q := dp.QuantileValues().AppendEmpty()
	q.SetQuantile(0.99)
	q.SetValue(0.7)
	putAll(dp.Attributes())
}

func fillExemplar(e pmetric.Exemplar) {
	e.SetTimestamp(testNow)
	e.SetDoubleValue(0.3)
	e.SetTraceID(pcommon.TraceID{1, 2})
	e.SetSpanID(pcommon.SpanID{3})
	e.FilteredAttributes().PutStr("Authorization", "the producer's own")
}

func everyKindOfSpan() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.SetSchemaUrl("https://example.test/resource")
	rs.Resource().Attributes().PutStr("producer", "p")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.SetSchemaUrl("https://example.test/scope")
	ss.Scope().SetName("scope")
	putAll(ss.Scope().Attributes())
	span := ss.Spans().AppendEmpty()
	span.SetName("vllm:request")
	span.SetKind(ptrace.SpanKindServer)
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{2})
	span.SetParentSpanID(pcommon.SpanID{3})
	span.TraceState().FromRaw("a=b")
	span.SetStartTimestamp(testStart)
	span.SetEndTimestamp(testNow)
	span.SetFlags(1)
	span.SetDroppedAttributesCount(4)
	span.Status().SetCode(ptrace.StatusCodeError)
	span.Status().SetMessage("boom")
	putAll(span.Attributes())
	event := span.Events().AppendEmpty()
	event.SetName("e")
	event.SetTimestamp(testNow)
	putAll(event.Attributes())
	link := span.Links().AppendEmpty()
	link.SetTraceID(pcommon.TraceID{9})
	putAll(link.Attributes())
	return td
}

func everyKindOfLog() plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.SetSchemaUrl("https://example.test/resource")
	rl.Resource().Attributes().PutStr("producer", "p")
	sl := rl.ScopeLogs().AppendEmpty()
	sl.SetSchemaUrl("https://example.test/scope")
	sl.Scope().SetName("scope")
	putAll(sl.Scope().Attributes())
	record := sl.LogRecords().AppendEmpty()
	record.SetTimestamp(testStart)
	record.SetObservedTimestamp(testNow)
	record.SetSeverityNumber(plog.SeverityNumberWarn)
	record.SetSeverityText("WARN")
	record.SetEventName("vllm:event")
	record.SetTraceID(pcommon.TraceID{1})
	record.SetSpanID(pcommon.SpanID{2})
	record.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(true))
	record.SetDroppedAttributesCount(5)
	putAll(record.Body().SetEmptyMap())
	putAll(record.Attributes())
	return ld
}
