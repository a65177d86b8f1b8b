// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/gym-otelcol/gym-otelcol/components/gymprocessor/internal/metadatatest"
)

// The collector calls one processor from as many goroutines as there are requests. Each must get its own
// result, with shared read-only data among them. Worth most under the race detector.
func TestConcurrentUse(t *testing.T) {
	const workers, rounds = 16, 50
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(t.Context())) }()
	shared := everyKindOfMetric("vllm:")
	shared.MarkReadOnly()
	want := runMetrics(t, fullConfig(), shared)

	next, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		if md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().Len() == 3 {
			checkOwn(t, md)
			return nil
		}
		assert.Equal(t, want, md)
		return nil
	})
	require.NoError(t, err)
	p := newTestMetrics(t, metadatatest.NewSettings(tel), fullConfig(), next)

	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for round := range rounds {
				name := fmt.Sprintf("%d_%d", worker, round)
				assert.NoError(t, p.ConsumeMetrics(t.Context(), scopeOf("vllm:"+name, "vllm:clash", "vllm_clash")))
				assert.NoError(t, p.ConsumeMetrics(t.Context(), shared))
			}
		})
	}
	wg.Wait()
	metadatatest.AssertEqualProcessorGymRenameClashes(t, tel,
		[]metricdata.DataPoint[int64]{{Value: workers * rounds}}, metricdatatest.IgnoreTimestamp())
}

func checkOwn(t *testing.T, md pmetric.Metrics) {
	names := namesOf(md)
	assert.Regexp(t, `^vllm_\d+_\d+$`, names[0])
	assert.Equal(t, []string{"vllm:clash", "vllm_clash"}, names[1:])
}
