// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/testdata"

	"github.com/gym-otelcol/gym-otelcol/components/journalconnector/internal/metadata"
	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// All three signals of one configuration share an engine, a directory and the end.
func TestThreeSignals(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Directory, cfg.RunID = t.TempDir(), "run"
	sink := new(consumertest.MetricsSink)
	spans, records := new(consumertest.TracesSink), new(consumertest.LogsSink)
	factory, set, ctx := NewFactory(), connectortest.NewNopSettings(metadata.Type), context.Background()
	m, err := factory.CreateMetricsToMetrics(ctx, set, cfg, sink)
	require.NoError(t, err)
	tr, err := factory.CreateTracesToTraces(ctx, set, cfg, spans)
	require.NoError(t, err)
	l, err := factory.CreateLogsToLogs(ctx, set, cfg, records)
	require.NoError(t, err)
	host := componenttest.NewNopHost()
	require.NoError(t, m.Start(ctx, host))
	require.NoError(t, tr.Start(ctx, host))
	require.NoError(t, l.Start(ctx, host))
	require.NoError(t, m.ConsumeMetrics(ctx, testdata.GenerateMetrics(3)))
	require.NoError(t, tr.ConsumeTraces(ctx, testdata.GenerateTraces(3)))
	require.NoError(t, l.ConsumeLogs(ctx, testdata.GenerateLogs(3)))
	require.NoError(t, tr.Shutdown(ctx))
	require.NoError(t, m.ConsumeMetrics(ctx, testdata.GenerateMetrics(3)), "the other signals go on")
	require.NoError(t, l.Shutdown(ctx))
	require.NoError(t, m.Shutdown(ctx))
	require.Len(t, sink.AllMetrics(), 2)
	file, err := delivery.Load(cfg.Directory)
	require.NoError(t, err)
	require.True(t, file.Ended)
	require.Equal(t, "run", file.RunID)
	for _, signal := range otlpfile.Signals {
		counts := file.Signals[signal]
		require.NoError(t, counts.Check())
		require.Positive(t, counts.Delivered, signal)
		require.Equal(t, counts.Accepted, counts.Delivered, signal)
		info, err := os.Stat(filepath.Join(cfg.Directory, signal.FileName()))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	require.Empty(t, engines.of, "nothing is kept after the end")
}

func TestStartNeedsTheDirectory(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Directory = filepath.Join(t.TempDir(), "missing")
	m, err := NewFactory().CreateMetricsToMetrics(context.Background(), connectortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.ErrorContains(t, m.Start(context.Background(), componenttest.NewNopHost()), "directory: ")
	require.NoError(t, m.Shutdown(context.Background()))
}

func TestValidate(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Directory = "/runs/otel"
	require.NoError(t, cfg.Validate())
	cfg.Directory, cfg.CacheSize, cfg.MaxLine, cfg.SyncInterval = "relative", 1, 1<<30, 0
	err := cfg.Validate()
	for _, key := range []string{"directory: ", "cache_size: ", "max_line: ", "sync_interval: "} {
		require.ErrorContains(t, err, key)
	}
	cfg.Directory = strings.Repeat(" ", 3)
	require.ErrorContains(t, cfg.Validate(), "directory: is required")
}
