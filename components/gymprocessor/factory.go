// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/gym-otelcol/gym-otelcol/components/gymprocessor/internal/metadata"
)

var capabilities = consumer.Capabilities{MutatesData: true}

// NewFactory returns the factory of the gym processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithMetrics(createMetrics, metadata.MetricsStability),
		processor.WithTraces(createTraces, metadata.TracesStability),
		processor.WithLogs(createLogs, metadata.LogsStability),
	)
}

func createMetrics(
	ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Metrics,
) (processor.Metrics, error) {
	editor, err := newResourceEditor(cfg.(*Config))
	if err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	p := &gymProcessor{resources: editor}
	if rules := cfg.(*Config).Rename; len(rules) > 0 {
		p.renamer = newRenamer(rules, newClashReporter(set.Logger, telemetry.ProcessorGymRenameClashes))
	}
	return processorhelper.NewMetrics(ctx, set, cfg, next, p.processMetrics,
		processorhelper.WithCapabilities(capabilities),
		processorhelper.WithStart(editor.open(set.Logger)),
		processorhelper.WithShutdown(func(ctx context.Context) error {
			telemetry.Shutdown()
			return editor.close(ctx)
		}))
}

func createTraces(
	ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces,
) (processor.Traces, error) {
	editor, err := newResourceEditor(cfg.(*Config))
	if err != nil {
		return nil, err
	}
	p := &gymProcessor{resources: editor}
	return processorhelper.NewTraces(ctx, set, cfg, next, p.processTraces,
		processorhelper.WithCapabilities(capabilities),
		processorhelper.WithStart(editor.open(set.Logger)),
		processorhelper.WithShutdown(editor.close))
}

func createLogs(
	ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs,
) (processor.Logs, error) {
	editor, err := newResourceEditor(cfg.(*Config))
	if err != nil {
		return nil, err
	}
	p := &gymProcessor{resources: editor}
	return processorhelper.NewLogs(ctx, set, cfg, next, p.processLogs,
		processorhelper.WithCapabilities(capabilities),
		processorhelper.WithStart(editor.open(set.Logger)),
		processorhelper.WithShutdown(editor.close))
}
