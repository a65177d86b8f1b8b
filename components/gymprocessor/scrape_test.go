// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

const (
	textFormat  = "text/plain; version=0.0.4; charset=utf-8"
	openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"

	// scrapeMetrics is what the receiver adds to each scrape: up and its four companions.
	scrapeMetrics = 5
)

// TestRealScrapes sends pages of real programs through the real receiver and compares each family as it is
// before and after the processor.
func TestRealScrapes(t *testing.T) {
	tests := []struct {
		page, contentType string
		families          map[string]int // by prometheus.type: as many as the page has # TYPE lines of it
		renamed           int
	}{
		{
			page: "vllm-v1-qwen2.5-3b-t1.prom", contentType: textFormat,
			families: map[string]int{"counter": 11, "gauge": 36, "histogram": 17, "summary": 2}, renamed: 46,
		},
		{
			page: "vllm-v1-qwen2.5-3b-t1.derived.om", contentType: openMetrics,
			families: map[string]int{"counter": 11, "gauge": 10, "histogram": 17, "summary": 2}, renamed: 25,
		},
		{
			page: "dcgm-exporter-gb200-4gpu.prom", contentType: textFormat,
			families: map[string]int{"counter": 4, "gauge": 15},
		},
		{
			page: "node_exporter-1.5.0-debian.prom", contentType: textFormat,
			families: map[string]int{"counter": 60, "gauge": 175, "summary": 1, "unknown": 47},
		},
	}
	for _, tt := range tests {
		t.Run(tt.page, func(t *testing.T) {
			before := scrape(t, tt.page, tt.contentType)
			after := runMetrics(t, fullConfig(), cloneMetrics(before))

			assert.Equal(t, tt.families, familiesByType(before), "the page is parsed as what it is")
			assert.Equal(t, tt.renamed, compareFamilies(t, before, after))
		})
	}
}

// compareFamilies goes through two scrapes in step and returns how many names differ, which only a prefix
// may. The rest of a family is compared as a whole: type, unit, points, buckets, start times, metadata.
func compareFamilies(t *testing.T, before, after pmetric.Metrics) int {
	t.Helper()
	olds, news := familiesOf(before), familiesOf(after)
	require.Len(t, news, len(olds))
	renamed := 0
	for i, old := range olds {
		want := pmetric.NewMetric()
		old.CopyTo(want)
		if rest, ours := strings.CutPrefix(old.Name(), "vllm:"); ours {
			want.SetName("vllm_" + rest)
			renamed++
		}
		got := pmetric.NewMetric()
		news[i].CopyTo(got)
		assert.Equal(t, want, got, old.Name())
	}
	return renamed
}

// A histogram whose name ends like a counter's is the classic victim of renaming by name.
func TestHistogramNamedTotalStaysAHistogram(t *testing.T) {
	for page, contentType := range map[string]string{
		"vllm-v1-qwen2.5-3b-t1.prom": textFormat, "vllm-v1-qwen2.5-3b-t1.derived.om": openMetrics,
	} {
		t.Run(page, func(t *testing.T) {
			before := scrape(t, page, contentType)
			was := familyNamed(t, before, "vllm:iteration_tokens_total")
			after := runMetrics(t, fullConfig(), before)
			is := familyNamed(t, after, "vllm_iteration_tokens_total")

			assert.Equal(t, pmetric.MetricTypeHistogram, is.Type())
			assert.Equal(t, pmetric.AggregationTemporalityCumulative, is.Histogram().AggregationTemporality())
			assert.Equal(t, was.Histogram().DataPoints().At(0).BucketCounts().AsRaw(),
				is.Histogram().DataPoints().At(0).BucketCounts().AsRaw())
			assert.NotEmpty(t, is.Histogram().DataPoints().At(0).ExplicitBounds().AsRaw())

			counter := familyNamed(t, after, "vllm_prompt_tokens_total")
			assert.True(t, counter.Sum().IsMonotonic())
			assert.Equal(t, pmetric.AggregationTemporalityCumulative, counter.Sum().AggregationTemporality())
		})
	}
}

// Two engines on one node are two producers: their series must not meet.
func TestScrapedResource(t *testing.T) {
	before := scrape(t, "dcgm-exporter-gb200-4gpu.prom", textFormat)
	address, _ := before.ResourceMetrics().At(0).Resource().Attributes().Get("service.instance.id")
	instance := address.Str()
	after := runMetrics(t, fullConfig(), before).ResourceMetrics().At(0).Resource().Attributes().AsRaw()
	assert.Equal(t, "0123/gpu01/"+instance, after["service.instance.id"])
	assert.Equal(t, "engine", after["service.name"])
	for key, value := range stamped() {
		assert.Equal(t, value, after[key], key)
	}
}

func familiesOf(md pmetric.Metrics) []pmetric.Metric {
	var families []pmetric.Metric
	eachMetric(md, func(m pmetric.Metric) { families = append(families, m) })
	return families
}

func familyNamed(t *testing.T, md pmetric.Metrics, name string) pmetric.Metric {
	t.Helper()
	for _, family := range familiesOf(md) {
		if family.Name() == name {
			return family
		}
	}
	require.Fail(t, "no family", name)
	return pmetric.NewMetric()
}

// familiesByType counts what the page declared, less what the receiver adds.
func familiesByType(md pmetric.Metrics) map[string]int {
	types := map[string]int{"gauge": -scrapeMetrics}
	for _, family := range familiesOf(md) {
		declared, _ := family.Metadata().Get("prometheus.type")
		types[declared.Str()]++
	}
	return types
}

// scrape serves a capture under its content type and returns what the Prometheus receiver makes of it.
func scrape(tb testing.TB, page, contentType string) pmetric.Metrics {
	tb.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", page))
	require.NoError(tb, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	return receive(tb, strings.TrimPrefix(server.URL, "http://"))
}

// receive runs the receiver until its first scrape has arrived.
func receive(tb testing.TB, target string) pmetric.Metrics {
	tb.Helper()
	scrapes := make(chan pmetric.Metrics, 16)
	next, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		scrapes <- cloneMetrics(md)
		return nil
	})
	require.NoError(tb, err)
	factory := prometheusreceiver.NewFactory()
	receiver, err := factory.CreateMetrics(context.Background(), receivertest.NewNopSettings(factory.Type()),
		receiverConfig(tb, factory.CreateDefaultConfig(), target), next)
	require.NoError(tb, err)
	require.NoError(tb, receiver.Start(context.Background(), componenttest.NewNopHost()))
	defer func() { require.NoError(tb, receiver.Shutdown(context.Background())) }()
	select {
	case md := <-scrapes:
		return md
	case <-time.After(30 * time.Second):
		require.Fail(tb, "no scrape within 30 s")
		return pmetric.NewMetrics()
	}
}

func receiverConfig(tb testing.TB, cfg component.Config, target string) component.Config {
	tb.Helper()
	conf := confmap.NewFromStringMap(map[string]any{
		"discovery_reload_on_startup": true,
		"config": map[string]any{
			"scrape_configs": []any{map[string]any{
				"job_name":        "engine",
				"scrape_interval": "1s",
				"scrape_timeout":  "1s",
				"static_configs":  []any{map[string]any{"targets": []any{target}}},
			}},
		},
	})
	require.NoError(tb, conf.Unmarshal(cfg))
	require.NoError(tb, confmap.Validate(cfg))
	return cfg
}
