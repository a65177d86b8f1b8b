// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/gym-otelcol/gym-otelcol/components/gymprocessor/internal/metadata"
)

// testIdentity is complete and valid, host name included, so that results do not depend on the machine.
func testIdentity() *Identity {
	return &Identity{
		User:       "alice",
		RunID:      "gym-job-1",
		SlurmJobID: "0123",
		Benchmark:  "gpqa",
		Cluster:    "mycluster",
		Model:      "Qwen/Qwen3",
		HostName:   "gpu01",
	}
}

func testRenames() []Rename {
	return []Rename{{From: "vllm:", To: "vllm_"}, {From: "sglang:", To: "sglang_"}}
}

func nopSettings() processor.Settings {
	return processortest.NewNopSettings(metadata.Type)
}

// newTestMetrics starts a processor and stops it with the test.
func newTestMetrics(
	tb testing.TB, set processor.Settings, cfg *Config, next consumer.Metrics,
) processor.Metrics {
	tb.Helper()
	p, err := NewFactory().CreateMetrics(context.Background(), set, cfg, next)
	require.NoError(tb, err)
	require.NoError(tb, p.Start(context.Background(), componenttest.NewNopHost()))
	tb.Cleanup(func() { require.NoError(tb, p.Shutdown(context.Background())) })
	return p
}

// lastMetrics keeps what came last, which is all that most tests look at.
type lastMetrics struct{ md pmetric.Metrics }

func (*lastMetrics) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (l *lastMetrics) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	l.md = md
	return nil
}

type lastTraces struct{ td ptrace.Traces }

func (*lastTraces) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (l *lastTraces) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	l.td = td
	return nil
}

type lastLogs struct{ ld plog.Logs }

func (*lastLogs) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (l *lastLogs) ConsumeLogs(_ context.Context, ld plog.Logs) error {
	l.ld = ld
	return nil
}

func runMetrics(t *testing.T, cfg *Config, md pmetric.Metrics) pmetric.Metrics {
	t.Helper()
	next := &lastMetrics{}
	require.NoError(t, newTestMetrics(t, nopSettings(), cfg, next).ConsumeMetrics(t.Context(), md))
	return next.md
}

func runTraces(t *testing.T, cfg *Config, td ptrace.Traces) ptrace.Traces {
	t.Helper()
	next := &lastTraces{}
	p, err := NewFactory().CreateTraces(t.Context(), nopSettings(), cfg, next)
	require.NoError(t, err)
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	return next.td
}

func runLogs(t *testing.T, cfg *Config, ld plog.Logs) plog.Logs {
	t.Helper()
	next := &lastLogs{}
	p, err := NewFactory().CreateLogs(t.Context(), nopSettings(), cfg, next)
	require.NoError(t, err)
	require.NoError(t, p.ConsumeLogs(t.Context(), ld))
	return next.ld
}

// runResource sends one resource through each signal and insists that they agree.
func runResource(t *testing.T, cfg *Config, attrs map[string]any) map[string]any {
	t.Helper()
	md, td, ld := pmetric.NewMetrics(), ptrace.NewTraces(), plog.NewLogs()
	require.NoError(t, md.ResourceMetrics().AppendEmpty().Resource().Attributes().FromRaw(attrs))
	require.NoError(t, td.ResourceSpans().AppendEmpty().Resource().Attributes().FromRaw(attrs))
	require.NoError(t, ld.ResourceLogs().AppendEmpty().Resource().Attributes().FromRaw(attrs))

	fromMetrics := runMetrics(t, cfg, md).ResourceMetrics().At(0).Resource().Attributes().AsRaw()
	fromTraces := runTraces(t, cfg, td).ResourceSpans().At(0).Resource().Attributes().AsRaw()
	fromLogs := runLogs(t, cfg, ld).ResourceLogs().At(0).Resource().Attributes().AsRaw()
	require.Equal(t, fromMetrics, fromTraces)
	require.Equal(t, fromMetrics, fromLogs)
	return fromMetrics
}

// scopeOf builds one scope of gauges with these names.
func scopeOf(names ...string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	metrics := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for i, name := range names {
		metric := metrics.AppendEmpty()
		metric.SetName(name)
		metric.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(int64(i))
	}
	return md
}

// namesOf lists the metric names of all scopes in order.
func namesOf(md pmetric.Metrics) []string {
	var names []string
	eachMetric(md, func(m pmetric.Metric) { names = append(names, m.Name()) })
	return names
}

func eachMetric(md pmetric.Metrics, do func(pmetric.Metric)) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				do(m)
			}
		}
	}
}

func cloneMetrics(md pmetric.Metrics) pmetric.Metrics {
	clone := pmetric.NewMetrics()
	md.CopyTo(clone)
	return clone
}

// requireEqualButNames fails unless before and after differ in metric names alone.
func requireEqualButNames(tb testing.TB, before, after pmetric.Metrics) {
	tb.Helper()
	require.Equal(tb, withoutNames(before), withoutNames(after))
}

func withoutNames(md pmetric.Metrics) pmetric.Metrics {
	anonymous := cloneMetrics(md)
	eachMetric(anonymous, func(m pmetric.Metric) { m.SetName("") })
	return anonymous
}

func putAll(attrs pcommon.Map) {
	attrs.PutStr("text", "a")
	attrs.PutInt("int", 7)
	attrs.PutBool("bool", true)
	attrs.PutDouble("double", 1.5)
	attrs.PutEmptyBytes("bytes").Append(1, 2, 3)
	attrs.PutEmptySlice("slice").AppendEmpty().SetStr("x")
	attrs.PutEmptyMap("map").PutStr("k", "v")
	attrs.PutStr("Authorization", "the producer's own")
	attrs.PutStr("user", "the producer's own")
}

// repeatKeys turns keys into others in the encoded form, the only one in which a key can be given twice.
func repeatKeys(t *testing.T, md pmetric.Metrics, rename map[string]string) pmetric.Metrics {
	t.Helper()
	encoded, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	text := string(encoded)
	for from, to := range rename {
		text = strings.ReplaceAll(text, `"`+from+`"`, `"`+to+`"`)
	}
	repeated, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics([]byte(text))
	require.NoError(t, err)
	return repeated
}
