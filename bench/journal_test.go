// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/gym-otelcol/gym-otelcol/components/journalconnector"
)

// betweenScrapes lets a batch be settled before the next one comes. In a job there are seconds between them; what is
// measured is processor time, and none passes here.
const betweenScrapes = time.Millisecond

// BenchmarkJournal writes real scrapes to the file and has each delivered before the next comes: the journal with
// otlp_http behind it, and the file exporter beside an otlp_http with its stock queue, each with a copy of its own.
func BenchmarkJournal(b *testing.B) {
	input := scrape(b)
	copies := make([]pmetric.Metrics, copiesPerRound)
	journal, journalTaken := journalAndExporter(b)
	stock, stockTaken := fileAndQueue(b)
	feed := func(next consumer.Metrics, taken <-chan struct{}) func() {
		return func() {
			for _, md := range copies {
				if err := next.ConsumeMetrics(context.Background(), md); err != nil {
					b.Fatal(err)
				}
				<-taken
				time.Sleep(betweenScrapes)
			}
		}
	}
	inTurns(b, func() {
		for i := range copies {
			copies[i] = clone(input)
		}
	}, work{"journal", feed(journal, journalTaken)}, work{"file+queue", feed(stock, stockTaken)})
}

func journalAndExporter(b *testing.B) (consumer.Metrics, <-chan struct{}) {
	b.Helper()
	url, taken := frugalBackend(b)
	out := startExporter(b, otlphttpexporter.NewFactory(), map[string]any{
		"endpoint": url, "sending_queue": map[string]any{"enabled": false}, "retry_on_failure": map[string]any{"enabled": false},
	})
	factory := journalconnector.NewFactory()
	cfg := unmarshal(b, factory.CreateDefaultConfig(), map[string]any{"directory": b.TempDir(), "run_id": "r", "job_id": "1"})
	journal, err := factory.CreateMetricsToMetrics(context.Background(), connectortest.NewNopSettings(factory.Type()), cfg, out)
	require.NoError(b, err)
	startComponent(b, journal)
	return journal, taken
}

func fileAndQueue(b *testing.B) (consumer.Metrics, <-chan struct{}) {
	b.Helper()
	url, taken := frugalBackend(b)
	out := startExporter(b, otlphttpexporter.NewFactory(), map[string]any{"endpoint": url})
	file := startExporter(b, fileexporter.NewFactory(), map[string]any{"path": filepath.Join(b.TempDir(), "metrics.jsonl")})
	// The collector's fan-out copies for every exporter but the last, because otlp_http's queue keeps what it gets.
	both, err := consumer.NewMetrics(func(ctx context.Context, md pmetric.Metrics) error {
		if err := file.ConsumeMetrics(ctx, clone(md)); err != nil {
			return err
		}
		return out.ConsumeMetrics(ctx, md)
	})
	require.NoError(b, err)
	return both, taken
}

func startExporter(b *testing.B, factory exporter.Factory, settings map[string]any) exporter.Metrics {
	b.Helper()
	e, err := factory.CreateMetrics(context.Background(), exportertest.NewNopSettings(factory.Type()),
		unmarshal(b, factory.CreateDefaultConfig(), settings))
	require.NoError(b, err)
	startComponent(b, e)
	return e
}

func startComponent(b *testing.B, c component.Component) {
	b.Helper()
	require.NoError(b, c.Start(context.Background(), componenttest.NewNopHost()))
	b.Cleanup(func() { require.NoError(b, c.Shutdown(context.Background())) })
}

func unmarshal(b *testing.B, cfg component.Config, settings map[string]any) component.Config {
	b.Helper()
	require.NoError(b, confmap.NewFromStringMap(settings).Unmarshal(cfg))
	require.NoError(b, confmap.Validate(cfg))
	return cfg
}
