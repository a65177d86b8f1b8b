// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/resourceprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/batchprocessor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

// upstreamMarker in the environment makes this test binary a collector of stock components.
const upstreamMarker = "GYM_BENCH_UPSTREAM_COLLECTOR"

func TestMain(m *testing.M) {
	if os.Getenv(upstreamMarker) != "" {
		runUpstream()
		return
	}
	os.Exit(m.Run())
}

func runUpstream() {
	command := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "upstream", Version: "0.161.0"},
		Factories: upstreamFactories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()},
		}},
	})
	if err := command.Execute(); err != nil {
		os.Exit(1)
	}
}

func upstreamFactories() (otelcol.Factories, error) {
	factories := otelcol.Factories{Telemetry: otelconftelemetry.NewFactory()}
	var err error
	if factories.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](
		otlpreceiver.NewFactory(), prometheusreceiver.NewFactory(),
	); err != nil {
		return factories, err
	}
	if factories.Processors, err = otelcol.MakeFactoryMap[processor.Factory](
		batchprocessor.NewFactory(), resourceprocessor.NewFactory(), transformprocessor.NewFactory(),
	); err != nil {
		return factories, err
	}
	factories.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](
		fileexporter.NewFactory(), otlphttpexporter.NewFactory(),
	)
	return factories, err
}

// upstreamConfig is the metrics pipeline of upstream's collector. scrapes is the text of its scrape_configs.
func upstreamConfig(otlp, backend, file, scrapes string) string {
	return fmt.Sprintf(`
receivers:
  prometheus:
    config:
      scrape_configs: %s
  otlp:
    protocols:
      http:
        endpoint: %s
processors:
  batch: {}
  resource:
    attributes:
      - {key: service.name, action: upsert, value: gym-eval}
      - {key: Authorization, action: upsert, value: "${env:BENCH_TOKEN}"}
      - {key: user, action: upsert, value: alice}
      - {key: run_id, action: upsert, value: gym-job-1}
      - {key: slurm_job_id, action: upsert, value: "${env:SLURM_JOB_ID}"}
      - {key: benchmark, action: upsert, value: gpqa}
      - {key: cluster, action: upsert, value: east}
      - {key: model, action: upsert, value: Qwen/Qwen3-8B}
      - {key: slurm_job_id, action: convert, converted_type: string}
  transform/identity:
    metric_statements:
      - context: resource
        statements:
          - set(attributes["service.name.override"], attributes["service.name"]) where attributes["service.name.override"] == nil and attributes["service.name"] != nil
  transform/metric_names:
    metric_statements:
      - context: metric
        statements:
          - replace_pattern(metric.name, "%s", "%s")
exporters:
  otlp_http/managed:
    endpoint: %s
    headers:
      Authorization: Bearer ${env:BENCH_TOKEN}
  file/metrics:
    path: %s
service:
  telemetry:
    logs:
      level: debug
    metrics:
      level: none
  pipelines:
    metrics:
      receivers: [prometheus, otlp]
      processors: [transform/metric_names, transform/identity, resource, batch]
      exporters: [otlp_http/managed, file/metrics]
`, scrapes, otlp, upstreamPattern, upstreamReplacement, backend, file)
}

// floorConfig scrapes and sends, compressed as cheaply as gym-submit has it, and does nothing between.
func floorConfig(backend, scrapes string) string {
	return fmt.Sprintf(`
receivers:
  prometheus:
    config:
      scrape_configs: %s
exporters:
  otlp_http:
    endpoint: %s
    compression_params: {level: 1}
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    metrics:
      receivers: [prometheus]
      exporters: [otlp_http]
`, scrapes, backend)
}

// upstreamPattern and upstreamReplacement rename any prefix before a colon. A $ is doubled for the collector's own
// expansion.
const (
	upstreamPattern     = "^([^:]+):(.+)$$"
	upstreamReplacement = "$$1_$$2"
)
