// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"path"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// text is a value of the user. The collector expands ${…} in everything it reads, so each
// dollar sign is doubled on the way out.
type text string

// MarshalYAML implements yaml.Marshaler.
func (t text) MarshalYAML() (any, error) { return strings.ReplaceAll(string(t), "$", "$$"), nil }

// The types below are collector.yaml, in the order in which it is written.
type document struct {
	Extensions extensions `yaml:"extensions"`
	Receivers  receivers  `yaml:"receivers"`
	Processors processors `yaml:"processors"`
	Connectors connectors `yaml:"connectors"`
	Exporters  exporters  `yaml:"exporters"`
	Service    service    `yaml:"service"`
}

type extensions struct {
	HealthCheck healthCheck `yaml:"health_check"`
	Answer      answer      `yaml:"answer"`
	Prompt      struct{}    `yaml:"prompt"`
}

type answer struct {
	TokenFile text `yaml:"token_file,omitempty"`
}

type healthCheck struct {
	Endpoint     string       `yaml:"endpoint"`
	ResponseBody responseBody `yaml:"response_body"`
}

type responseBody struct {
	Healthy   string `yaml:"healthy"`
	Unhealthy string `yaml:"unhealthy"`
}

type receivers struct {
	Prometheus prometheus `yaml:"prometheus"`
	OTLP       otlp       `yaml:"otlp"`
}

type otlp struct {
	Protocols struct {
		GRPC endpoint `yaml:"grpc"`
		HTTP endpoint `yaml:"http"`
	} `yaml:"protocols"`
}

type endpoint struct {
	Endpoint    string       `yaml:"endpoint"`
	Middlewares []middleware `yaml:"middlewares,flow"`
}

type processors struct {
	Resource resource `yaml:"resource"`
	Gym      gym      `yaml:"gym"`
	Ingest   ingest   `yaml:"gym/ingest"`
}

type resource struct {
	Attributes []attributeAction `yaml:"attributes"`
}

type attributeAction struct {
	Key           string `yaml:"key"`
	Action        string `yaml:"action"`
	FromAttribute string `yaml:"from_attribute,omitempty"`
	Value         text   `yaml:"value,omitempty"`
}

type gym struct {
	Rename   []rename `yaml:"rename"`
	Identity identity `yaml:"identity"`
}

type rename struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

type identity struct {
	User       text   `yaml:"user"`
	RunID      text   `yaml:"run_id"`
	SlurmJobID string `yaml:"slurm_job_id"`
	Benchmark  text   `yaml:"benchmark"`
	Cluster    text   `yaml:"cluster"`
	Model      text   `yaml:"model,omitempty"`
}

type ingest struct {
	Authorization     string `yaml:"authorization,omitempty"`
	AuthorizationFile text   `yaml:"authorization_file,omitempty"`
}

type connectors struct {
	Journal journal `yaml:"journal"`
}

type journal struct {
	Directory text   `yaml:"directory"`
	RunID     text   `yaml:"run_id"`
	JobID     string `yaml:"job_id"`
	Endpoint  text   `yaml:"endpoint"`
}

type exporters struct {
	OTLPHTTP otlpHTTP `yaml:"otlp_http"`
}

type otlpHTTP struct {
	Endpoint     text              `yaml:"endpoint"`
	TLS          *tls              `yaml:"tls,omitempty"`
	Headers      map[string]string `yaml:"headers,omitempty"`
	Timeout      string            `yaml:"timeout"`
	Compression  string            `yaml:"compression"`
	Level        compressionParams `yaml:"compression_params"`
	Middlewares  []middleware      `yaml:"middlewares,flow"`
	SendingQueue enabled           `yaml:"sending_queue"`
	Retry        enabled           `yaml:"retry_on_failure"`
}

type compressionParams struct {
	Level int `yaml:"level"`
}

type tls struct {
	CAFile text `yaml:"ca_file"`
}

type middleware struct {
	ID string `yaml:"id"`
}

type enabled struct {
	Enabled bool `yaml:"enabled"`
}

type service struct {
	Extensions []string             `yaml:"extensions,flow"`
	Telemetry  telemetry            `yaml:"telemetry"`
	Pipelines  map[string]*pipeline `yaml:"pipelines"`
}

type telemetry struct {
	Metrics struct {
		Level string `yaml:"level"`
	} `yaml:"metrics"`
}

type pipeline struct {
	Receivers  []string `yaml:"receivers,flow"`
	Processors []string `yaml:"processors,flow"`
	Exporters  []string `yaml:"exporters,flow"`
}

func newDocument(cfg *config.Config, job Job) document {
	d := document{
		Extensions: extensions{HealthCheck: healthCheck{
			Endpoint: local(HealthPort),
			ResponseBody: responseBody{
				Healthy:   HealthIdentity(job.RunID, job.Benchmark, slurmJobID),
				Unhealthy: "stopping " + HealthIdentity(job.RunID, job.Benchmark, slurmJobID),
			},
		}},
		Receivers:  receivers{Prometheus: newPrometheus(cfg)},
		Processors: newProcessors(cfg, job),
		Connectors: connectors{newJournal(cfg, job)},
		Exporters:  newExporters(cfg),
		Service:    newService(),
	}
	if cfg.Otel.UsesFile() {
		d.Extensions.Answer.TokenFile = text(*cfg.Otel.TokenFile)
	}
	d.Receivers.OTLP.Protocols.GRPC = endpoint{local(OTLPGRPCPort), []middleware{{"prompt"}}}
	d.Receivers.OTLP.Protocols.HTTP = endpoint{local(OTLPHTTPPort), []middleware{{"prompt"}}}
	return d
}

// slurmJobID is expanded by the collector inside the job.
const slurmJobID = "${env:SLURM_JOB_ID}"

func local(port int) string { return fmt.Sprintf("localhost:%d", port) }

func newProcessors(cfg *config.Config, job Job) processors {
	p := processors{
		Resource: resource{[]attributeAction{
			{Key: "service.name.override", Action: "insert", FromAttribute: "service.name"},
			{Key: "service.name.override", Action: "insert", Value: "unknown_service"},
			{Key: "service.name", Action: "upsert", Value: text(cfg.Otel.ServiceName)},
		}},
		Gym: gym{
			Rename: []rename{{From: "vllm:", To: "vllm_"}, {From: "sglang:", To: "sglang_"}},
			Identity: identity{
				User:       text(job.User),
				RunID:      text(job.RunID),
				SlurmJobID: slurmJobID,
				Benchmark:  text(job.Benchmark),
				Cluster:    text(cfg.Compute[0].Name),
			},
		},
		Ingest: ingest{Authorization: "${env:" + cfg.Otel.TokenEnv + "}"},
	}
	if cfg.Otel.UsesFile() {
		p.Ingest = ingest{AuthorizationFile: text(*cfg.Otel.TokenFile)}
	}
	if s, ok := cfg.Policy(); ok {
		p.Gym.Identity.Model = text(s.ModelName())
	}
	return p
}

func newJournal(cfg *config.Config, job Job) journal {
	return journal{
		Directory: text(path.Join(job.Dir, "otel")),
		RunID:     text(job.RunID),
		JobID:     slurmJobID,
		Endpoint:  destination(cfg),
	}
}

func destination(cfg *config.Config) text { return text(strings.TrimRight(cfg.Otel.Endpoint, "/")) }

func newExporters(cfg *config.Config) exporters {
	out := otlpHTTP{
		Endpoint:    destination(cfg),
		Timeout:     "10s",
		Compression: "gzip",
		Level:       compressionParams{1}, // a sixth less processor time a scrape, a sixth more bytes
		Middlewares: []middleware{{"answer"}},
	}
	if cfg.Otel.CAFile != nil {
		out.TLS = &tls{CAFile: text(*cfg.Otel.CAFile)}
	}
	if !cfg.Otel.UsesFile() {
		out.Headers = map[string]string{"Authorization": "Bearer ${env:" + cfg.Otel.TokenEnv + "}"}
	}
	return exporters{out}
}

func newService() service {
	s := service{Extensions: []string{"health_check", "answer", "prompt"}, Pipelines: map[string]*pipeline{}}
	s.Telemetry.Metrics.Level = "none"
	for signal, sources := range map[string][]string{
		"metrics": {"prometheus", "otlp"},
		"traces":  {"otlp"},
		"logs":    {"otlp"},
	} {
		s.Pipelines[signal] = &pipeline{
			Receivers:  sources,
			Processors: []string{"resource", "gym"},
			Exporters:  []string{"journal"},
		}
		s.Pipelines[signal+"/out"] = &pipeline{
			Receivers:  []string{"journal"},
			Processors: []string{"gym/ingest"},
			Exporters:  []string{"otlp_http"},
		}
	}
	return s
}
