// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"fmt"

	"github.com/gym-otelcol/gym-otelcol/internal/collector"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// driverEnv is the driver's environment. What the file says comes before what the job says.
func driverEnv(cfg *config.Config, job Job, benchmark config.Benchmark) config.Map[config.EnvVar] {
	var own, env config.Map[config.EnvVar]
	if cfg.GymTelemetryActive() {
		own = append(own, telemetryEnv(cfg, job)...)
	}
	if benchmark.Command != nil {
		own = append(own, commandEnv(cfg, job)...)
	}
	for _, e := range own {
		if _, written := cfg.Driver.Env.Get(e.Name); !written {
			env = append(env, e)
		}
	}
	return append(env, cfg.Driver.Env...)
}

// telemetryEnv makes Gym's servers export through the collector of the job.
func telemetryEnv(cfg *config.Config, job Job) config.Map[config.EnvVar] {
	logs := "0"
	if cfg.Otel.GymLogs {
		logs = "1"
	}
	return config.Map[config.EnvVar]{
		literal("NEMO_GYM_OTEL_ENABLED", "1"),
		literal("NEMO_GYM_OTEL_RUN_ID", job.RunID),
		literal("NEMO_GYM_OTEL_SPAN_GROUPS", cfg.Otel.GymSpanGroups),
		literal("NEMO_GYM_OTEL_LOGS_ENABLED", logs),
		literal("OTEL_EXPORTER_OTLP_ENDPOINT", fmt.Sprintf("http://localhost:%d", collector.OTLPHTTPPort)),
		literal("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
		// Gym sends its logs over gRPC, whatever the protocol says.
		literal("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", fmt.Sprintf("http://localhost:%d", collector.OTLPGRPCPort)),
	}
}

func literal(name, value string) config.Entry[config.EnvVar] {
	return config.Entry[config.EnvVar]{Name: name, Value: config.EnvVar{Source: config.EnvLiteral, Value: value}}
}
