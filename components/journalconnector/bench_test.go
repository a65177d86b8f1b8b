// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/testdata"

	"github.com/gym-otelcol/gym-otelcol/components/journalconnector/internal/metadata"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

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
