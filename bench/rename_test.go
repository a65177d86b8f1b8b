// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/metricstransformprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/resourceprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/gym-otelcol/gym-otelcol/components/gymprocessor"
)

// BenchmarkRename renames the vllm: prefix of one real scrape: gym, the transform processor as upstream configures it,
// and metrics_transform. The frame that the collector puts around every processor, which counts what goes in and out,
// is measured beside them.
func BenchmarkRename(b *testing.B) {
	undouble := strings.NewReplacer("$$", "$")
	statement := undouble.Replace(`replace_pattern(metric.name, "` + upstreamPattern + `", "` + upstreamReplacement + `")`)
	compare(b, scrape(b), []competitor{
		{"gym", gymprocessor.NewFactory(), map[string]any{
			"rename": []any{map[string]any{"from": "vllm:", "to": "vllm_"}, map[string]any{"from": "sglang:", "to": "sglang_"}},
		}},
		{"transform", transformprocessor.NewFactory(), map[string]any{
			"metric_statements": []any{map[string]any{"context": "metric", "statements": []any{statement}}},
		}},
		{"metrics_transform", metricstransformprocessor.NewFactory(), map[string]any{
			"transforms": []any{map[string]any{
				"include": "^vllm:(.*)$", "match_type": "regexp", "action": "update", "new_name": "vllm_${1}",
			}},
		}},
		{"frame", frameFactory(), nil},
	})
}

// BenchmarkIdentity stamps the identity on the resource of one real scrape, and with as many upserts upstream. Ours makes
// the instance id from what the resource holds; upstream gets a finished one.
func BenchmarkIdentity(b *testing.B) {
	identity := map[string]any{
		"user": "alice", "run_id": "gym-job-1", "slurm_job_id": "0123", "benchmark": "gpqa", "cluster": "east",
		"model": "Qwen/Qwen3",
	}
	upserts := []any{map[string]any{"key": "service.instance.id", "value": "0123/gpu01/localhost:8000", "action": "upsert"}}
	for key, value := range identity {
		upserts = append(upserts, map[string]any{"key": key, "value": value, "action": "upsert"})
	}
	md := pmetric.NewMetrics()
	scrape(b).ResourceMetrics().At(0).Resource().CopyTo(md.ResourceMetrics().AppendEmpty().Resource())
	compare(b, md, []competitor{
		{"gym", gymprocessor.NewFactory(), map[string]any{"identity": identity}},
		{"resource", resourceprocessor.NewFactory(), map[string]any{"attributes": upserts}},
	})
}

// frameFactory makes a processor that does nothing, in the usual frame.
func frameFactory() processor.Factory {
	return processor.NewFactory(component.MustNewType("frame"), func() component.Config { return &struct{}{} },
		processor.WithMetrics(func(
			ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Metrics,
		) (processor.Metrics, error) {
			return processorhelper.NewMetrics(ctx, set, cfg, next,
				func(_ context.Context, md pmetric.Metrics) (pmetric.Metrics, error) { return md, nil })
		}, component.StabilityLevelDevelopment))
}

type competitor struct {
	name     string
	factory  processor.Factory
	settings map[string]any
}

func compare(b *testing.B, input pmetric.Metrics, competitors []competitor) {
	b.Helper()
	copies := make([]pmetric.Metrics, copiesPerRound)
	all := make([]work, len(competitors))
	for i, c := range competitors {
		p := newProcessor(b, c)
		all[i] = work{c.name, func() {
			for _, md := range copies {
				if err := p.ConsumeMetrics(context.Background(), md); err != nil {
					b.Fatal(err)
				}
			}
		}}
	}
	inTurns(b, func() {
		for i := range copies {
			copies[i] = clone(input)
		}
	}, all...)
}

func newProcessor(b *testing.B, c competitor) processor.Metrics {
	b.Helper()
	p, err := c.factory.CreateMetrics(context.Background(), processortest.NewNopSettings(c.factory.Type()),
		unmarshal(b, c.factory.CreateDefaultConfig(), c.settings), consumertest.NewNop())
	require.NoError(b, err)
	startComponent(b, p)
	return p
}
