// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"context"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/metricstransformprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/resourceprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// copiesPerRound is how many copies of the input are made at a time, off the clock: a processor changes
// what it gets, so it cannot be given the same data twice.
const copiesPerRound = 64

// BenchmarkRename renames the vllm: prefix of one real scrape, here and with the upstream processor.
func BenchmarkRename(b *testing.B) {
	compare(b, scrape(b, "vllm-v1-qwen2.5-3b-t1.prom", textFormat),
		newTestMetrics(b, nopSettings(), &Config{Rename: []Rename{{From: "vllm:", To: "vllm_"}}}, consumertest.NewNop()),
		newUpstream(b, metricstransformprocessor.NewFactory(), map[string]any{
			"transforms": []any{map[string]any{
				"include": "^vllm:(.*)$", "match_type": "regexp", "action": "update", "new_name": "vllm_${1}",
			}},
		}))
}

// BenchmarkIdentity stamps the identity on one resource, here and with as many upserts upstream. Ours makes
// the instance id from what the resource holds; upstream gets a finished one.
func BenchmarkIdentity(b *testing.B) {
	md := scopeOf("up")
	require.NoError(b, md.ResourceMetrics().At(0).Resource().Attributes().FromRaw(map[string]any{
		"service.name": "gym", "service.name.override": "gym-vllm/policy", "service.instance.id": "localhost:8000",
		"server.port": "8000", "url.scheme": "http",
	}))
	upserts := []any{upsert("service.instance.id", "0123/gpu01/localhost:8000")}
	for key, value := range stamped() {
		upserts = append(upserts, upsert(key, value))
	}
	compare(b, md,
		newTestMetrics(b, nopSettings(), &Config{Identity: testIdentity()}, consumertest.NewNop()),
		newUpstream(b, resourceprocessor.NewFactory(), map[string]any{"attributes": upserts}))
}

func upsert(key string, value any) map[string]any {
	return map[string]any{"key": key, "value": value, "action": "upsert"}
}

// compare measures each processor on its own and then both in turns, which is what the ratio is taken from:
// whatever else the machine does meets both alike.
func compare(b *testing.B, input pmetric.Metrics, ours, upstream processor.Metrics) {
	b.Helper()
	b.Run("gym", func(b *testing.B) { measure(b, input, ours) })
	b.Run("upstream", func(b *testing.B) { measure(b, input, upstream) })
	b.Run("ratio", func(b *testing.B) { measureRatio(b, input, ours, upstream) })
}

func measure(b *testing.B, input pmetric.Metrics, p processor.Metrics) {
	b.Helper()
	b.ReportAllocs()
	var copies []pmetric.Metrics
	for i := 0; b.Loop(); i++ {
		if i%copiesPerRound == 0 {
			b.StopTimer()
			copies = copiesOf(input)
			b.StartTimer()
		}
		if err := p.ConsumeMetrics(context.Background(), copies[i%copiesPerRound]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(input.MetricCount()), "metrics/op")
}

func measureRatio(b *testing.B, input pmetric.Metrics, ours, upstream processor.Metrics) {
	b.Helper()
	var oursTook, upstreamTook time.Duration
	rounds := 0
	for b.Loop() {
		oursTook += timeRound(b, copiesOf(input), ours)
		upstreamTook += timeRound(b, copiesOf(input), upstream)
		rounds++
	}
	batches := float64(rounds * copiesPerRound)
	b.ReportMetric(0, "ns/op") // a round with its copies says nothing
	b.ReportMetric(float64(oursTook)/batches, "gym-ns/batch")
	b.ReportMetric(float64(upstreamTook)/batches, "upstream-ns/batch")
	b.ReportMetric(float64(upstreamTook)/float64(oursTook), "upstream/gym")
}

func timeRound(b *testing.B, copies []pmetric.Metrics, p processor.Metrics) time.Duration {
	b.Helper()
	start := time.Now()
	for _, md := range copies {
		if err := p.ConsumeMetrics(context.Background(), md); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}

func copiesOf(md pmetric.Metrics) []pmetric.Metrics {
	copies := make([]pmetric.Metrics, copiesPerRound)
	for i := range copies {
		copies[i] = cloneMetrics(md)
	}
	return copies
}

func newUpstream(b *testing.B, factory processor.Factory, settings map[string]any) processor.Metrics {
	b.Helper()
	cfg := factory.CreateDefaultConfig()
	require.NoError(b, confmap.NewFromStringMap(settings).Unmarshal(cfg))
	require.NoError(b, confmap.Validate(cfg))
	p, err := factory.CreateMetrics(context.Background(), processortest.NewNopSettings(factory.Type()), cfg,
		consumertest.NewNop())
	require.NoError(b, err)
	require.NoError(b, p.Start(context.Background(), componenttest.NewNopHost()))
	b.Cleanup(func() { require.NoError(b, p.Shutdown(context.Background())) })
	return p
}
