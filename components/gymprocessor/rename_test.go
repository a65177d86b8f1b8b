// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/gym-otelcol/gym-otelcol/components/gymprocessor/internal/metadatatest"
)

func TestRenameNames(t *testing.T) {
	tests := []struct {
		name    string
		rules   []Rename // testRenames when nil
		in      []string
		want    []string
		clashes int64
	}{
		{
			name: "both engines, and names without the prefix",
			in:   []string{"vllm:a", "up", "sglang:b", "vllm_already", "http_requests_total"},
			want: []string{"vllm_a", "up", "sglang_b", "vllm_already", "http_requests_total"},
		},
		{
			name: "only the prefix changes",
			in:   []string{"vllm:a:b", "vllm::c", "vllm:vllm:d"},
			want: []string{"vllm_a:b", "vllm_:c", "vllm_vllm:d"},
		},
		{
			name: "not at the beginning, not in another case",
			in:   []string{"my_vllm:a", "VLLM:a", " vllm:a", "vllm"},
			want: []string{"my_vllm:a", "VLLM:a", " vllm:a", "vllm"},
		},
		{
			name: "the prefix alone and no name at all",
			in:   []string{"vllm:", ""},
			want: []string{"vllm_", ""},
		},
		{
			name:  "the longest prefix wins wherever it is listed",
			rules: []Rename{{From: "v", To: "short_"}, {From: "vllm:kv_", To: "cache_"}, {From: "vllm:", To: "vllm_"}},
			in:    []string{"vllm:kv_usage", "vllm:a", "vx"},
			want:  []string{"cache_usage", "vllm_a", "short_x"},
		},
		{
			name:  "a renamed metric is not renamed again",
			rules: []Rename{{From: "a:", To: "b:"}, {From: "b:", To: "c:"}},
			in:    []string{"a:x", "b:y"},
			want:  []string{"b:x", "c:y"},
		},
		{
			name: "the same old name twice",
			in:   []string{"vllm:a", "vllm:a"},
			want: []string{"vllm_a", "vllm_a"},
		},
		{
			name:    "the new name is there, after",
			in:      []string{"vllm:a", "vllm:b", "vllm_a"},
			want:    []string{"vllm:a", "vllm_b", "vllm_a"},
			clashes: 1,
		},
		{
			name:    "the new name is there, before",
			in:      []string{"vllm_a", "vllm:a"},
			want:    []string{"vllm_a", "vllm:a"},
			clashes: 1,
		},
		{
			name:    "the new name is there, and the old name twice",
			in:      []string{"vllm:a", "vllm_a", "vllm:a"},
			want:    []string{"vllm:a", "vllm_a", "vllm:a"},
			clashes: 2,
		},
		{
			name:    "two old names meet in one new name: the first wins",
			rules:   []Rename{{From: "vllm:", To: "engine_"}, {From: "sglang:", To: "engine_"}},
			in:      []string{"sglang:a", "vllm:a", "sglang:a", "vllm:b"},
			want:    []string{"engine_a", "vllm:a", "engine_a", "engine_b"},
			clashes: 1,
		},
		{
			name:    "a name that is itself renamed still counts as taken",
			rules:   []Rename{{From: "b:", To: "c:"}, {From: "a:", To: "b:"}},
			in:      []string{"b:x", "a:x"},
			want:    []string{"c:x", "a:x"},
			clashes: 1,
		},
		{
			name:  "a prefix of the other prefix",
			rules: []Rename{{From: "a", To: "ab"}},
			in:    []string{"a", "b"},
			want:  []string{"ab", "b"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := tt.rules
			if rules == nil {
				rules = testRenames()
			}
			tel := componenttest.NewTelemetry()
			defer func() { require.NoError(t, tel.Shutdown(t.Context())) }()
			next := &lastMetrics{}
			p := newTestMetrics(t, metadatatest.NewSettings(tel), &Config{Rename: rules}, next)
			in := scopeOf(tt.in...)
			before := cloneMetrics(in)

			require.NoError(t, p.ConsumeMetrics(t.Context(), in))

			assert.Equal(t, tt.want, namesOf(next.md))
			requireEqualButNames(t, before, next.md)
			requireClashes(t, tel, tt.clashes)
		})
	}
}

func requireClashes(t *testing.T, tel *componenttest.Telemetry, want int64) {
	t.Helper()
	if want == 0 {
		_, err := tel.GetMetric("otelcol_processor_gym_rename_clashes")
		require.Error(t, err, "nothing to count, so nothing counted")
		return
	}
	metadatatest.AssertEqualProcessorGymRenameClashes(t, tel,
		[]metricdata.DataPoint[int64]{{Value: want}}, metricdatatest.IgnoreTimestamp())
}

// A name is taken in its own scope only: neither another scope, resource nor batch has a say.
func TestRenameScopesAreApart(t *testing.T) {
	md := scopeOf("vllm:a")
	md.ResourceMetrics().At(0).ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetName("vllm_a")
	other := scopeOf("vllm_a", "vllm:b")
	other.ResourceMetrics().At(0).MoveTo(md.ResourceMetrics().AppendEmpty())

	next := &lastMetrics{}
	p := newTestMetrics(t, nopSettings(), &Config{Rename: testRenames()}, next)
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	assert.Equal(t, []string{"vllm_a", "vllm_a", "vllm_a", "vllm_b"}, namesOf(next.md))

	require.NoError(t, p.ConsumeMetrics(t.Context(), scopeOf("vllm:a", "vllm:b")))
	assert.Equal(t, []string{"vllm_a", "vllm_b"}, namesOf(next.md))
}

// A scope larger than what the pool keeps must leave nothing behind either.
func TestRenameForgetsLargeScopes(t *testing.T) {
	next := &lastMetrics{}
	p := newTestMetrics(t, nopSettings(), &Config{Rename: testRenames()}, next)
	names := make([]string, maxPooledNames+1)
	for i := range names {
		names[i] = fmt.Sprintf("vllm:%d", i)
	}
	require.NoError(t, p.ConsumeMetrics(t.Context(), scopeOf(names...)))
	require.NoError(t, p.ConsumeMetrics(t.Context(), scopeOf(names...)))
	assert.Equal(t, "vllm_0", namesOf(next.md)[0])
	assert.Equal(t, fmt.Sprintf("vllm_%d", maxPooledNames), namesOf(next.md)[maxPooledNames])
}

func TestRenameClashesAreLoggedOnceAName(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	set := nopSettings()
	set.Logger = zap.New(core)
	p := newTestMetrics(t, set, &Config{Rename: testRenames()}, &lastMetrics{})

	for range 3 {
		require.NoError(t, p.ConsumeMetrics(t.Context(), scopeOf("vllm:a", "vllm_a", "vllm:b", "vllm_b")))
	}

	require.Equal(t, 2, logs.Len())
	assert.Equal(t, zap.WarnLevel, logs.All()[0].Level)
	assert.Equal(t, map[string]any{"name": "vllm:a", "new_name": "vllm_a"}, logs.All()[0].ContextMap())
	assert.Equal(t, map[string]any{"name": "vllm:b", "new_name": "vllm_b"}, logs.All()[1].ContextMap())
}

func TestRenameClashLogIsBounded(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	set := nopSettings()
	set.Logger = zap.New(core)
	p := newTestMetrics(t, set, &Config{Rename: testRenames()}, &lastMetrics{})

	for i := range 2 * maxClashLogs {
		name := fmt.Sprint(i)
		require.NoError(t, p.ConsumeMetrics(t.Context(), scopeOf("vllm:"+name, "vllm_"+name)))
	}

	require.Equal(t, maxClashLogs+1, logs.Len())
	assert.Equal(t, "further metrics that keep their names are counted, not logged", logs.All()[maxClashLogs].Message)
}

func TestRenameKeepsEverythingElse(t *testing.T) {
	md := everyKindOfMetric("vllm:")
	before := cloneMetrics(md)
	after := runMetrics(t, &Config{Rename: testRenames()}, md)

	requireEqualButNames(t, before, after)
	eachMetric(after, func(m pmetric.Metric) { assert.Regexp(t, "^vllm_[a-z_]+$", m.Name()) })
}
