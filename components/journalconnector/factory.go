// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/gym-otelcol/gym-otelcol/components/journalconnector/internal/metadata"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// NewFactory returns the factory of the journal connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(
		metadata.Type,
		createDefaultConfig,
		connector.WithMetricsToMetrics(createMetrics, metadata.MetricsToMetricsStability),
		connector.WithTracesToTraces(createTraces, metadata.TracesToTracesStability),
		connector.WithLogsToLogs(createLogs, metadata.LogsToLogsStability),
	)
}

// journal is the connector of one signal. What it is given belongs to it, because it is kept after the producer
// was answered.
type journal struct {
	engine *engine
	stream *stream
}

func (*journal) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

func (j *journal) Start(context.Context, component.Host) error { return j.engine.start(j.stream) }

// Shutdown of one signal does not wait for the backend; that of the last one does, for all of them.
func (j *journal) Shutdown(context.Context) error { return j.engine.leave(j.stream) }

func (j *journal) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	return j.stream.accept(md)
}

func (j *journal) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	return j.stream.accept(td)
}

func (j *journal) ConsumeLogs(_ context.Context, ld plog.Logs) error { return j.stream.accept(ld) }

func createMetrics(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Metrics, error) {
	return newJournal(set, cfg, otlpfile.Metrics, func(ctx context.Context, batch otlpfile.Batch) error {
		return next.ConsumeMetrics(ctx, batch.(pmetric.Metrics))
	}), nil
}

func createTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Traces, error) {
	return newJournal(set, cfg, otlpfile.Traces, func(ctx context.Context, batch otlpfile.Batch) error {
		return next.ConsumeTraces(ctx, batch.(ptrace.Traces))
	}), nil
}

func createLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Logs, error) {
	return newJournal(set, cfg, otlpfile.Logs, func(ctx context.Context, batch otlpfile.Batch) error {
		return next.ConsumeLogs(ctx, batch.(plog.Logs))
	}), nil
}

func newJournal(set connector.Settings, cfg component.Config, signal otlpfile.Signal, push pushFunc) *journal {
	e := sharedEngine(cfg.(*Config), set)
	return &journal{engine: e, stream: e.add(signal, push)}
}
