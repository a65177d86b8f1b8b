// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package otlpfile

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Signal is a kind of telemetry; the name of its file without the ending.
type Signal string

// The signals of OTLP.
const (
	Metrics Signal = "metrics"
	Traces  Signal = "traces"
	Logs    Signal = "logs"
)

// Signals are all of them, in the order in which they are told about.
var Signals = []Signal{Metrics, Traces, Logs}

// FileName is the signal's file in a job's otel directory.
func (s Signal) FileName() string { return string(s) + ".jsonl" }

// prefix is what every batch of the signal begins with.
func (s Signal) prefix() []byte {
	return map[Signal][]byte{
		Metrics: []byte(`{"resourceMetrics":`),
		Traces:  []byte(`{"resourceSpans":`),
		Logs:    []byte(`{"resourceLogs":`),
	}[s]
}

// Batch is one export request: pmetric.Metrics, ptrace.Traces or plog.Logs.
type Batch any

// Unmarshal reads a batch. It is as kind as the stock parser; Parse is strict.
func Unmarshal(signal Signal, body []byte) (Batch, error) {
	switch signal {
	case Metrics:
		return (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(body)
	case Traces:
		return (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
	case Logs:
		return (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
	}
	return nil, fmt.Errorf("no such signal: %q", signal)
}

// Marshal writes a batch as one line, newline included.
func Marshal(batch Batch) (line []byte, err error) {
	switch b := batch.(type) {
	case pmetric.Metrics:
		line, err = (&pmetric.JSONMarshaler{}).MarshalMetrics(b)
	case ptrace.Traces:
		line, err = (&ptrace.JSONMarshaler{}).MarshalTraces(b)
	case plog.Logs:
		line, err = (&plog.JSONMarshaler{}).MarshalLogs(b)
	default:
		err = fmt.Errorf("not a batch: %T", batch)
	}
	return append(line, '\n'), err
}

// Items counts data points, spans or log records.
func Items(batch Batch) int {
	switch b := batch.(type) {
	case pmetric.Metrics:
		return b.DataPointCount()
	case ptrace.Traces:
		return b.SpanCount()
	case plog.Logs:
		return b.LogRecordCount()
	}
	return 0
}

// Append moves what is in the second batch, of the same signal, behind what is in the first.
func Append(to, from Batch) {
	switch b := from.(type) {
	case pmetric.Metrics:
		b.ResourceMetrics().MoveAndAppendTo(to.(pmetric.Metrics).ResourceMetrics())
	case ptrace.Traces:
		b.ResourceSpans().MoveAndAppendTo(to.(ptrace.Traces).ResourceSpans())
	case plog.Logs:
		b.ResourceLogs().MoveAndAppendTo(to.(plog.Logs).ResourceLogs())
	}
}
