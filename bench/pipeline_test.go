// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scrapeInterval is far below the product's 15 s, so that a window of some seconds holds enough scrapes, and far above
// the batch processor's 200 ms, so that it does not merge what it would not merge in a job.
const scrapeInterval = "1s"

// BenchmarkPipeline runs three collectors side by side on the same pages: an engine, dcgm-exporter and node_exporter are
// scraped, renamed, stamped, written to a file and sent. The third one, the floor, only scrapes and sends, with the
// receiver and the exporter that the other two share. One operation is a scrape of all three pages.
func BenchmarkPipeline(b *testing.B) {
	contestants := []*contestant{{name: "gym"}, {name: "upstream"}, {name: "floor"}}
	for _, c := range contestants {
		c.pages = servePages(b)
	}
	gym, upstream, floor := contestants[0], contestants[1], contestants[2]
	gym.process = startGym(b, renderedConfig(b),
		gymOverrides(b, b.TempDir(), freeAddress(b), newBackend(b).URL, oneJob(gym.pages, scrapeInterval)))
	upstream.process = startUpstream(b, upstreamConfig(freeAddress(b), newBackend(b).URL,
		filepath.Join(b.TempDir(), "metrics.jsonl"), jobPerPage(upstream.pages, scrapeInterval)))
	floor.process = startUpstream(b, floorConfig(newBackend(b).URL, jobPerPage(floor.pages, scrapeInterval)))

	awaitScrapes := func(more int64) {
		for _, c := range contestants {
			target := served(c.pages) + more
			await(b, time.Minute, "scrapes by "+c.name, func() bool {
				c.process.requireAlive(b)
				return served(c.pages) >= target
			})
		}
	}
	awaitScrapes(3) // the first ones find empty caches
	for b.Loop() {
		for _, c := range contestants {
			c.begin(b)
		}
		awaitScrapes(15)
		for _, c := range contestants {
			c.end(b)
		}
	}
	b.ReportMetric(0, "ns/op") // that is the scrape interval
	for _, c := range contestants {
		b.ReportMetric(c.perScrape(), c.name+"-µs/scrape")
	}
	b.ReportMetric(gym.perScrape()/upstream.perScrape(), "gym/upstream")
	b.ReportMetric((gym.perScrape()-floor.perScrape())/(upstream.perScrape()-floor.perScrape()), "gym/upstream-above-floor")
}

// contestant is a collector with the pages that it alone scrapes.
type contestant struct {
	name    string
	pages   []*page
	process *collectorProcess

	processor time.Duration
	scrapes   int64
}

func (c *contestant) begin(tb testing.TB) {
	tb.Helper()
	c.processor -= c.process.processorTime(tb)
	c.scrapes -= served(c.pages)
}

func (c *contestant) end(tb testing.TB) {
	tb.Helper()
	c.processor += c.process.processorTime(tb)
	c.scrapes += served(c.pages)
}

func (c *contestant) perScrape() float64 {
	return float64(c.processor.Microseconds()) / float64(c.scrapes)
}

// served is how often all pages were read.
func served(pages []*page) int64 {
	least := pages[0].served.Load()
	for _, p := range pages[1:] {
		least = min(least, p.served.Load())
	}
	return least
}

// renderedConfig is the collector.yaml that gym-submit renders.
func renderedConfig(tb testing.TB) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "submit.yaml")
	require.NoError(tb, os.WriteFile(file, []byte(submitFile), 0o600))
	render := exec.Command("go", "run", "-C", "..", "./cmd/gym-submit", "-c", file, "--resolve-only", "--json")
	render.Stderr = os.Stderr
	out, err := render.Output()
	require.NoError(tb, err)
	var resolved struct {
		Collectors map[string]json.RawMessage `json:"collectors"`
	}
	require.NoError(tb, json.Unmarshal(out, &resolved))
	require.Contains(tb, resolved.Collectors, "gpqa")
	return string(resolved.Collectors["gpqa"]) // JSON is YAML
}

const submitFile = `
services: {policy: {type: vllm, container: null, model: Qwen/Qwen3-8B}}
compute:
  east: {type: slurm, account: eval, walltime: 1:00:00, node_pools: {gpu: {partition: batch, gpus_per_node: 1}}}
driver:
  container: null
  policy_model: policy
  benchmarks: {gpqa: {run: {split: benchmark, config_paths: [gpqa.yaml]}}}
job: {output_path: /tmp}
otel: {endpoint: "http://localhost:1", service_name: gym-eval, token_env: BENCH_TOKEN, binary: /gym-otelcol}
`

// gymOverrides puts the rendered configuration into this benchmark's surroundings; what it does stays as it is.
func gymOverrides(tb testing.TB, dir, otlp, backend, scrapes string) string {
	tb.Helper()
	return fmt.Sprintf(`
extensions:
  health_check: {endpoint: "%s"}
receivers:
  prometheus: {config: {scrape_configs: %s}}
  otlp: {protocols: {grpc: {endpoint: "%s"}, http: {endpoint: "%s"}}}
connectors:
  journal: {directory: "%s", endpoint: "%s"}
exporters:
  otlp_http: {endpoint: "%s"}
`, freeAddress(tb), scrapes, freeAddress(tb), otlp, dir, backend, backend)
}
