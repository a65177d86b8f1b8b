// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Shared data is copied: the input stays as it was, the output is as if the input had been ours.

func TestReadOnlyMetrics(t *testing.T) {
	shared := everyKindOfMetric("vllm:")
	before := cloneMetrics(shared)
	shared.MarkReadOnly()

	got := runMetrics(t, fullConfig(), shared)

	assert.Equal(t, before, cloneMetrics(shared))
	assert.False(t, got.IsReadOnly())
	require.Equal(t, runMetrics(t, fullConfig(), before), got)
}

func TestReadOnlyTraces(t *testing.T) {
	shared := everyKindOfSpan()
	before := ptrace.NewTraces()
	shared.CopyTo(before)
	shared.MarkReadOnly()

	got := runTraces(t, fullConfig(), shared)

	unchanged := ptrace.NewTraces()
	shared.CopyTo(unchanged)
	assert.Equal(t, before, unchanged)
	assert.False(t, got.IsReadOnly())
	require.Equal(t, runTraces(t, fullConfig(), before), got)
}

func TestReadOnlyLogs(t *testing.T) {
	shared := everyKindOfLog()
	before := plog.NewLogs()
	shared.CopyTo(before)
	shared.MarkReadOnly()

	got := runLogs(t, fullConfig(), shared)

	unchanged := plog.NewLogs()
	shared.CopyTo(unchanged)
	assert.Equal(t, before, unchanged)
	assert.False(t, got.IsReadOnly())
	require.Equal(t, runLogs(t, fullConfig(), before), got)
}
