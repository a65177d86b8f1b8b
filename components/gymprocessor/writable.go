// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The capability MutatesData makes the collector copy shared data before it gets here. Code that calls the
// processor itself need not know that, and a change to shared data would panic; hence the copies below.

func writableMetrics(md pmetric.Metrics) pmetric.Metrics {
	if !md.IsReadOnly() {
		return md
	}
	own := pmetric.NewMetrics()
	md.CopyTo(own)
	return own
}

func writableTraces(td ptrace.Traces) ptrace.Traces {
	if !td.IsReadOnly() {
		return td
	}
	own := ptrace.NewTraces()
	td.CopyTo(own)
	return own
}

func writableLogs(ld plog.Logs) plog.Logs {
	if !ld.IsReadOnly() {
		return ld
	}
	own := plog.NewLogs()
	ld.CopyTo(own)
	return own
}
