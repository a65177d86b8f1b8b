// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package collector renders collector.yaml, the configuration of the gym-otelcol that runs
// beside one benchmark job.
package collector

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// Fixed ports of the collector, on localhost.
const (
	HealthPort   = 13133
	OTLPGRPCPort = 4317
	OTLPHTTPPort = 4318
)

// Job is one benchmark of a run, as far as its collector needs to know it.
type Job struct {
	RunID     string
	Benchmark string
	Dir       string // absolute, <job dir>/<benchmark>
	User      string // who submitted it
}

// HealthIdentity is what the health check of one job's collector answers. The script
// believes no other answer: on a shared node it may be another job's collector that speaks.
func HealthIdentity(runID, benchmark, slurmJobID string) string {
	return fmt.Sprintf("gym-otelcol %s/%s job %s", runID, benchmark, slurmJobID)
}

// Render returns collector.yaml of one benchmark. cfg has been validated. What only the job
// knows, its id and the token, is left as ${env:…} for the collector to expand.
func Render(cfg *config.Config, job Job) ([]byte, error) {
	var document yaml.Node
	if err := document.Encode(newDocument(cfg, job)); err != nil {
		return nil, fmt.Errorf("render collector.yaml of benchmark %s: %w", job.Benchmark, err)
	}
	annotate(&document)
	var out bytes.Buffer
	fmt.Fprintf(&out, header, job.Benchmark, job.RunID, version.Version, OTLPGRPCPort, OTLPHTTPPort)
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&document); err != nil {
		return nil, fmt.Errorf("render collector.yaml of benchmark %s: %w", job.Benchmark, err)
	}
	return out.Bytes(), encoder.Close()
}

const header = `# The collector beside benchmark %s of run %s, written by gym-submit %s.
#
#   prometheus (engines, dcgm, node) ─┐
#                                     ├─ resource ─ gym ─ journal ──────────── gym/ingest ─ otlp_http     backend
#   otlp  localhost:%[4]d, :%[5]d ──────┘                    └ otel/<signal>.jsonl
#
# Try a change with: gym-otelcol validate --config FILE

`

// annotate puts a word of explanation above what a reader may wonder about.
func annotate(document *yaml.Node) {
	for _, c := range []struct{ key, comment string }{
		{"extensions.health_check.response_body", "The job script believes this answer and no other: two jobs may share a node."},
		{"extensions.answer.token_file", "Every request's bearer token. Read again each minute, and when the backend refuses the token."},
		{"receivers.prometheus.scrape_on_shutdown", "Scrapes once more when told to stop: the final counters."},
		{"receivers.prometheus.discovery_reload_on_startup", "Targets are known at once, so that even a job of a few seconds is scraped."},
		{"receivers.prometheus.config.scrape_configs", "One scrape job for all targets: they stop together, within two scrape timeouts."},
		{"receivers.otlp", "A request that is half sent when the collector stops does not keep it from stopping."},
		{"processors.resource", "Every producer's own name becomes service.name.override; service.name is the backend's route."},
		{"processors.gym", "Who and what this run is, as strings; metric names that every backend takes."},
		{"processors.gym/ingest", "The tenant, for the routing proxy. After the files are written: they never hold the token."},
		{"connectors.journal", "Writes otel/<signal>.jsonl, then sends on until the backend has it; says so in otel/delivery.json."},
		{"exporters.otlp_http.tls", "The certificates that the backend's has to go back to, instead of the system's."},
		{"exporters.otlp_http.compression_params", "The cheapest level: processor time here is the benchmark's."},
		{"exporters.otlp_http.sending_queue", "One attempt a call: the journal knows what to do about a failure."},
		{"service.telemetry.metrics", "Opens no port: 8888 is taken wherever another collector runs."},
	} {
		if key := find(document, strings.Split(c.key, ".")); key != nil {
			key.HeadComment = c.comment
		}
	}
}

// find returns the key node at a path of keys.
func find(node *yaml.Node, keys []string) *yaml.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value != keys[0] {
			continue
		}
		if len(keys) == 1 {
			return node.Content[i]
		}
		return find(node.Content[i+1], keys[1:])
	}
	return nil
}
