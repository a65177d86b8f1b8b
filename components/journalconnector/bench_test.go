// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/testdata"

	"github.com/gym-otelcol/gym-otelcol/components/journalconnector/internal/metadata"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// BenchmarkScrape compares a scrape through the journal with one through the file exporter and the copy that the
// fork to a second branch costs. Behind both the batch is encoded for the wire.
func BenchmarkScrape(b *testing.B) {
	encode, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		_, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		return err
	})
	require.NoError(b, err)
	scrape := testdata.GenerateMetrics(60)
	ctx, host := context.Background(), componenttest.NewNopHost()

	b.Run("journal", func(b *testing.B) {
		cfg := createDefaultConfig().(*Config)
		cfg.Directory = b.TempDir()
		j, err := NewFactory().CreateMetricsToMetrics(ctx, connectortest.NewNopSettings(metadata.Type), cfg, encode)
		require.NoError(b, err)
		require.NoError(b, j.Start(ctx, host))
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			md := pmetric.NewMetrics()
			scrape.CopyTo(md)
			b.StartTimer()
			require.NoError(b, j.ConsumeMetrics(ctx, md))
		}
		require.NoError(b, j.Shutdown(ctx))
	})
	b.Run("file", func(b *testing.B) {
		factory := fileexporter.NewFactory()
		cfg := factory.CreateDefaultConfig().(*fileexporter.Config)
		cfg.Path = filepath.Join(b.TempDir(), "metrics.jsonl")
		f, err := factory.CreateMetrics(ctx, exportertest.NewNopSettings(factory.Type()), cfg)
		require.NoError(b, err)
		require.NoError(b, f.Start(ctx, host))
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			md := pmetric.NewMetrics()
			scrape.CopyTo(md)
			b.StartTimer()
			branch := pmetric.NewMetrics()
			md.CopyTo(branch)
			require.NoError(b, f.ConsumeMetrics(ctx, md))
			require.NoError(b, encode.ConsumeMetrics(ctx, branch))
		}
		require.NoError(b, f.Shutdown(ctx))
	})
}

// BenchmarkCatchUp reads back and sends what an outage left in the file; B/s is of the file.
func BenchmarkCatchUp(b *testing.B) {
	cfg := createDefaultConfig().(*Config)
	cfg.Directory = b.TempDir()
	ctx := context.Background()
	sink := new(consumertest.MetricsSink)
	j, err := NewFactory().CreateMetricsToMetrics(ctx, connectortest.NewNopSettings(metadata.Type), cfg, sink)
	require.NoError(b, err)
	s := j.(*journal).stream
	w := &writer{stream: s, log: logFile{disk: realDisk{}, path: s.path}}
	require.NoError(b, w.open())
	line, err := otlpfile.Marshal(testdata.GenerateMetrics(60))
	require.NoError(b, err)
	for range 500 {
		_, err := w.log.append(line)
		require.NoError(b, err)
	}
	total := w.log.end
	send := &sender{stream: s, size: cfg.RequestSize}
	b.SetBytes(total)
	for b.Loop() {
		s.backlog = []region{{0, total, int64(500 * testdata.GenerateMetrics(60).DataPointCount())}}
		for len(s.backlog) > 0 {
			send.once(ctx)
		}
		sink.Reset()
	}
	j.(*journal).engine.forget()
}
