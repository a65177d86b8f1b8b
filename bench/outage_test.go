// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
)

const (
	// outageScrapes is what 64 engines give in ten minutes of scrapes every 15 s.
	outageScrapes = 64 * 10 * 60 / 15
	megabyte      = 1 << 20

	// noScrapes keeps the receiver quiet: what is sent comes over OTLP.
	noScrapes = "[{job_name: none, scrape_interval: 1h, static_configs: []}]"
)

// BenchmarkOutage keeps the backend away for ten minutes of 64 engines' scrapes, sent in seconds, and then lets it
// come back. Memory is what each collector holds when the outage ends, above what it held before; the rate of catching
// up is of the file, from the first request that is taken to the last.
func BenchmarkOutage(b *testing.B) {
	scrape := encoded(b)
	b.Run("gym", func(b *testing.B) {
		for b.Loop() {
			otlp, backend := freeAddress(b), newBackend(b)
			dir := b.TempDir()
			c := startGym(b, renderedConfig(b), gymOverrides(b, dir, otlp, backend.URL, noScrapes))
			lived := outage(b, c, backend, otlp, scrape)
			file := fileSize(b, filepath.Join(dir, "metrics.jsonl"))
			b.ReportMetric(float64(lived.memory)/megabyte, "MB-more")
			b.ReportMetric(float64(file)/megabyte, "MB-of-file")
			b.ReportMetric(float64(file)/megabyte/lived.catchUp.Seconds(), "MB/s-catching-up")
			b.ReportMetric(float64(lived.catchUp.Milliseconds()), "ms-catching-up")
		}
		b.ReportMetric(0, "ns/op")
	})
	b.Run("upstream", func(b *testing.B) {
		for b.Loop() {
			otlp, backend := freeAddress(b), newBackend(b)
			file := filepath.Join(b.TempDir(), "metrics.jsonl")
			c := startUpstream(b, upstreamConfig(otlp, backend.URL, file, noScrapes))
			lived := outage(b, c, backend, otlp, scrape)
			b.ReportMetric(float64(lived.memory)/megabyte, "MB-more")
		}
		b.ReportMetric(0, "ns/op")
	})
}

type outcome struct {
	memory  int64 // bytes more at the end of the outage than before it
	catchUp time.Duration
}

func outage(b *testing.B, c *collectorProcess, to *backend, otlp string, scrape []byte) outcome {
	b.Helper()
	defer c.stop()
	c.awaitHealthy(b, otlp)
	before := c.anonymousMemory(b)
	to.down.Store(true)
	for range outageScrapes {
		resp, err := http.Post("http://"+otlp+"/v1/metrics", "application/x-protobuf", bytes.NewReader(scrape))
		require.NoError(b, err)
		_ = resp.Body.Close()
		require.Equal(b, http.StatusOK, resp.StatusCode)
	}
	result := outcome{memory: c.anonymousMemory(b) - before}
	to.down.Store(false)
	await(b, 2*time.Minute, "the first request after the outage", func() bool { return to.points.Load() > 0 })
	start := time.Now()
	await(b, 2*time.Minute, "everything is delivered", func() bool {
		return to.points.Load() >= int64(outageScrapes*pointsOf(b, scrape))
	})
	result.catchUp = time.Since(start)
	return result
}

func encoded(b *testing.B) []byte {
	b.Helper()
	body, err := pmetricotlp.NewExportRequestFromMetrics(scrape(b)).MarshalProto()
	require.NoError(b, err)
	return body
}

func pointsOf(tb testing.TB, body []byte) int {
	tb.Helper()
	request := pmetricotlp.NewExportRequest()
	require.NoError(tb, request.UnmarshalProto(body))
	return request.Metrics().DataPointCount()
}

func fileSize(b *testing.B, path string) int64 {
	b.Helper()
	info, err := os.Stat(path)
	require.NoError(b, err)
	return info.Size()
}
