// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// fullConfig turns everything on.
func fullConfig() *Config {
	return &Config{Rename: testRenames(), Identity: testIdentity(), Authorization: canary}
}

// In all three signals only resource attributes (and metric names) change. Each test takes the resource
// attributes off both sides and compares the rest as a whole.

func TestMetricsAreOtherwiseUntouched(t *testing.T) {
	md := everyKindOfMetric("vllm:")
	before := cloneMetrics(md)
	after := cloneMetrics(runMetrics(t, fullConfig(), md))
	for _, data := range []pmetric.Metrics{before, after} {
		data.ResourceMetrics().At(0).Resource().Attributes().Clear()
	}
	requireEqualButNames(t, before, after)
}

func TestTracesAreOtherwiseUntouched(t *testing.T) {
	td := everyKindOfSpan()
	before := ptrace.NewTraces()
	td.CopyTo(before)
	after := ptrace.NewTraces()
	runTraces(t, fullConfig(), td).CopyTo(after)
	for _, data := range []ptrace.Traces{before, after} {
		data.ResourceSpans().At(0).Resource().Attributes().Clear()
	}
	require.Equal(t, before, after)
}

func TestLogsAreOtherwiseUntouched(t *testing.T) {
	ld := everyKindOfLog()
	before := plog.NewLogs()
	ld.CopyTo(before)
	after := plog.NewLogs()
	runLogs(t, fullConfig(), ld).CopyTo(after)
	for _, data := range []plog.Logs{before, after} {
		data.ResourceLogs().At(0).Resource().Attributes().Clear()
	}
	require.Equal(t, before, after)
}

// What a producer says of its own resource stays, with its type, next to what is stamped.
func TestProducersAttributesStay(t *testing.T) {
	attrs := pcommon.NewMap()
	putAll(attrs)
	sent := attrs.AsRaw()
	got := runResource(t, fullConfig(), sent)
	for key, value := range sent {
		if key != "user" && !strings.EqualFold(key, "authorization") {
			assert.Equal(t, value, got[key], key)
		}
	}
	assert.Len(t, got, len(sent)+len(stamped())) // user and Authorization are in both, one id is new
}

func TestEmptyBatches(t *testing.T) {
	assert.Zero(t, runMetrics(t, fullConfig(), pmetric.NewMetrics()).ResourceMetrics().Len())
	assert.Zero(t, runTraces(t, fullConfig(), ptrace.NewTraces()).ResourceSpans().Len())
	assert.Zero(t, runLogs(t, fullConfig(), plog.NewLogs()).ResourceLogs().Len())
}

// A scope without metrics, and a resource without scopes (TestIdentity has no other), pass and are stamped.
func TestEmptyScopes(t *testing.T) {
	md := pmetric.NewMetrics()
	md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()

	rm := runMetrics(t, fullConfig(), md).ResourceMetrics().At(0)
	rs := runTraces(t, fullConfig(), td).ResourceSpans().At(0)
	rl := runLogs(t, fullConfig(), ld).ResourceLogs().At(0)
	assert.Equal(t, 1, rm.ScopeMetrics().Len())
	assert.Equal(t, 1, rs.ScopeSpans().Len())
	assert.Equal(t, 1, rl.ScopeLogs().Len())
	for _, resource := range []pcommon.Resource{rm.Resource(), rs.Resource(), rl.Resource()} {
		user, found := resource.Attributes().Get("user")
		require.True(t, found)
		assert.Equal(t, "alice", user.Str())
	}
}

func TestEveryResourceIsStamped(t *testing.T) {
	md := pmetric.NewMetrics()
	for range 3 {
		everyKindOfMetric("sglang:").ResourceMetrics().At(0).CopyTo(md.ResourceMetrics().AppendEmpty())
	}
	for _, rm := range runMetrics(t, fullConfig(), md).ResourceMetrics().All() {
		id, _ := rm.Resource().Attributes().Get("slurm_job_id")
		assert.Equal(t, pcommon.ValueTypeStr, id.Type())
		assert.Equal(t, "0123", id.Str())
		assert.Equal(t, "sglang_gauge", rm.ScopeMetrics().At(0).Metrics().At(0).Name())
	}
}

func TestCapabilities(t *testing.T) {
	next := &lastMetrics{}
	assert.True(t, newTestMetrics(t, nopSettings(), fullConfig(), next).Capabilities().MutatesData)
}
