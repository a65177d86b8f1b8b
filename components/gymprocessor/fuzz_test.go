// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.uber.org/zap"
)

// FuzzRename states what renaming may and may not do, for any rules and any names in one scope.
func FuzzRename(f *testing.F) {
	f.Add("vllm:", "vllm_", "sglang:", "sglang_", "vllm:a\nsglang:b\nup")
	f.Add("vllm:", "vllm_", "vllm:kv_", "cache_", "vllm:kv_x\nvllm:x\nvllm_x")
	f.Add("a", "b", "b", "a", "ax\nbx\nax\nb\na\n\n")
	f.Add("vllm:", "x", "sglang:", "x", "vllm:a\nsglang:a\nvllm:a\nxa")
	f.Add("é:", "\xff", "\x00", "é", "é:é\n\x00\xff")
	f.Fuzz(func(t *testing.T, from1, to1, from2, to2, names string) {
		cfg := &Config{Rename: []Rename{{From: from1, To: to1}, {From: from2, To: to2}}}
		if confmap.Validate(cfg) != nil {
			t.Skip("the collector would not start with it")
		}
		md := everyKindOfMetricNamed(strings.Split(names, "\n"))
		before := cloneMetrics(md)
		clashes := runRenamer(t, cfg, md)
		after := md

		require.Equal(t, before.MetricCount(), after.MetricCount())
		requireEqualButNames(t, before, after)
		requireOnlyPrefixesChanged(t, cfg.Rename, namesOf(before), namesOf(after))
		requireNamesStayApart(t, namesOf(before), namesOf(after))
		requireReasonsToStay(t, cfg.Rename, namesOf(before), namesOf(after))
		require.Equal(t, clashes, keptNames(cfg.Rename, namesOf(before), namesOf(after)))
	})
}

// everyKindOfMetricNamed goes through the metric types in turn.
func everyKindOfMetricNamed(names []string) pmetric.Metrics {
	md := everyKindOfMetric("")
	kinds := pmetric.NewMetricSlice()
	metrics := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	metrics.MoveAndAppendTo(kinds)
	for i, name := range names {
		m := metrics.AppendEmpty()
		kinds.At(i % kinds.Len()).CopyTo(m)
		m.SetName(name)
	}
	return md
}

// requireOnlyPrefixesChanged insists on the longest prefix, found here in another way than in the product.
func requireOnlyPrefixesChanged(t *testing.T, rules []Rename, olds, news []string) {
	t.Helper()
	for i, old := range olds {
		if news[i] == old {
			continue
		}
		require.Equal(t, wantedName(rules, old), news[i], "renamed from %q", old)
	}
}

func wantedName(rules []Rename, old string) string {
	wanted, longest := old, 0
	for _, rule := range rules {
		if rest, matches := strings.CutPrefix(old, rule.From); matches && len(rule.From) > longest {
			wanted, longest = rule.To+rest, len(rule.From)
		}
	}
	return wanted
}

// requireReasonsToStay insists that a metric keeps its name only where another has or had the new one.
func requireReasonsToStay(t *testing.T, rules []Rename, olds, news []string) {
	t.Helper()
	for i, old := range olds {
		wanted := wantedName(rules, old)
		if news[i] == wanted {
			continue
		}
		require.True(t, slices.Contains(olds, wanted) || slices.Contains(news, wanted), "%q could be %q", old, wanted)
	}
}

// requireNamesStayApart insists that series of different names never end in one.
func requireNamesStayApart(t *testing.T, olds, news []string) {
	t.Helper()
	cameFrom := map[string]string{}
	for i, name := range news {
		if old, taken := cameFrom[name]; taken {
			require.Equal(t, old, olds[i], "both are now %q", name)
		}
		cameFrom[name] = olds[i]
	}
}

// keptNames counts the metrics that a rule matches and that kept their name all the same.
func keptNames(rules []Rename, olds, news []string) int {
	kept := 0
	for i, old := range olds {
		matches := strings.HasPrefix(old, rules[0].From) || strings.HasPrefix(old, rules[1].From)
		if matches && news[i] == old {
			kept++
		}
	}
	return kept
}

// runRenamer renames in place and returns the count of clashes.
func runRenamer(t *testing.T, cfg *Config, md pmetric.Metrics) int {
	t.Helper()
	counter := &countingCounter{}
	r := newRenamer(cfg.Rename, newClashReporter(zap.NewNop(), counter))
	r.renameScope(t.Context(), md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics())
	return counter.total
}

// countingCounter is cheaper than a whole metrics SDK for each input.
type countingCounter struct {
	noop.Int64Counter

	total int
}

func (c *countingCounter) Add(_ context.Context, n int64, _ ...metric.AddOption) { c.total += int(n) }
