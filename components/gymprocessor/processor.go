// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"context"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// gymProcessor is one instance for one signal. It keeps no state between batches but for the clashes it has
// already logged.
type gymProcessor struct {
	resources *resourceEditor
	renamer   *renamer // nil when there is nothing to rename
}

func (p *gymProcessor) processMetrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	md = writableMetrics(md)
	for i := range md.ResourceMetrics().Len() {
		rm := md.ResourceMetrics().At(i)
		p.resources.edit(ctx, rm.Resource().Attributes())
		p.renameScopes(ctx, rm.ScopeMetrics())
	}
	return md, nil
}

func (p *gymProcessor) renameScopes(ctx context.Context, scopes pmetric.ScopeMetricsSlice) {
	if p.renamer == nil {
		return
	}
	for i := range scopes.Len() {
		p.renamer.renameScope(ctx, scopes.At(i).Metrics())
	}
}

func (p *gymProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	td = writableTraces(td)
	for i := range td.ResourceSpans().Len() {
		p.resources.edit(ctx, td.ResourceSpans().At(i).Resource().Attributes())
	}
	return td, nil
}

func (p *gymProcessor) processLogs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	ld = writableLogs(ld)
	for i := range ld.ResourceLogs().Len() {
		p.resources.edit(ctx, ld.ResourceLogs().At(i).Resource().Attributes())
	}
	return ld, nil
}
