// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// The pages of real exporters; components/gymprocessor/testdata says where they come from.
const (
	enginePage = "vllm-v1-qwen2.5-3b-t1.prom"
	gpuPage    = "dcgm-exporter-gb200-4gpu.prom"
	nodePage   = "node_exporter-1.5.0-debian.prom"
)

// page is one exporter that always serves the same text and counts how often.
type page struct {
	job, target string
	served      atomic.Int64
}

func servePage(tb testing.TB, job, file string) *page {
	tb.Helper()
	body, err := os.ReadFile(filepath.Join("..", "components", "gymprocessor", "testdata", file))
	require.NoError(tb, err)
	p := &page{job: job}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(body)
		p.served.Add(1)
	}))
	tb.Cleanup(server.Close)
	p.target = strings.TrimPrefix(server.URL, "http://")
	return p
}

// servePages is what one node has: an engine, its GPUs and the node itself.
func servePages(tb testing.TB) []*page {
	tb.Helper()
	return []*page{
		servePage(tb, "gym-vllm/policy", enginePage), servePage(tb, "dcgm", gpuPage), servePage(tb, "node", nodePage),
	}
}

// jobPerPage is how upstream scrapes: a scrape job for each target.
func jobPerPage(pages []*page, interval string) string {
	jobs := make([]string, len(pages))
	for i, p := range pages {
		jobs[i] = fmt.Sprintf("{job_name: %s, scrape_interval: %s, static_configs: [{targets: ['%s']}]}", p.job, interval, p.target)
	}
	return "[" + strings.Join(jobs, ", ") + "]"
}

// oneJob is how gym-submit scrapes: one scrape job, in which each target has its name as a label.
func oneJob(pages []*page, interval string) string {
	targets := make([]string, len(pages))
	for i, p := range pages {
		targets[i] = fmt.Sprintf("{targets: ['%s'], labels: {job: %s}}", p.target, p.job)
	}
	return fmt.Sprintf("[{job_name: gym, scrape_interval: %s, static_configs: [%s]}]", interval, strings.Join(targets, ", "))
}

// scrape returns what the receiver makes of an engine's page.
func scrape(tb testing.TB) pmetric.Metrics {
	tb.Helper()
	scrapes := make(chan pmetric.Metrics, 16)
	next, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		scrapes <- clone(md)
		return nil
	})
	require.NoError(tb, err)
	factory := prometheusreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig()
	conf, err := confmap.NewRetrievedFromYAML(fmt.Appendf(nil,
		"{discovery_reload_on_startup: true, config: {scrape_configs: %s}}",
		oneJob([]*page{servePage(tb, "engine", enginePage)}, "1s")))
	require.NoError(tb, err)
	asConf, err := conf.AsConf()
	require.NoError(tb, err)
	require.NoError(tb, asConf.Unmarshal(cfg))
	receiver, err := factory.CreateMetrics(context.Background(), receivertest.NewNopSettings(factory.Type()), cfg, next)
	require.NoError(tb, err)
	require.NoError(tb, receiver.Start(context.Background(), componenttest.NewNopHost()))
	defer func() { require.NoError(tb, receiver.Shutdown(context.Background())) }()
	return <-scrapes
}

func clone(md pmetric.Metrics) pmetric.Metrics {
	to := pmetric.NewMetrics()
	md.CopyTo(to)
	return to
}
