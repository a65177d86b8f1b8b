// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package gymprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// The race detector makes sync.Pool drop things at random, so these figures hold without it only.

func TestRenameAllocatesNothingWithoutAMatch(t *testing.T) {
	metrics := metricsOf(manyNames("node_", 500))
	r := newRenamer(testRenames(), nil)
	allocs := testing.AllocsPerRun(100, func() { r.renameScope(t.Context(), metrics) })
	assert.Zero(t, allocs)
}

func TestRenameAllocatesOncePerMatch(t *testing.T) {
	for _, matches := range []int{1, 10, 100} {
		t.Run(fmt.Sprint(matches), func(t *testing.T) {
			names := append(manyNames("node_", 500), manyNames("vllm:", matches)...)
			metrics := metricsOf(names)
			r := newRenamer(testRenames(), nil)
			allocs := testing.AllocsPerRun(100, func() {
				r.renameScope(t.Context(), metrics)
				restoreNames(metrics, names)
			})
			assert.LessOrEqual(t, allocs, float64(matches))
		})
	}
}

func manyNames(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return names
}

func metricsOf(names []string) pmetric.MetricSlice {
	return scopeOf(names...).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
}

func restoreNames(metrics pmetric.MetricSlice, names []string) {
	for i, name := range names {
		metrics.At(i).SetName(name)
	}
}
