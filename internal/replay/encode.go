// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// An export request in protobuf is the batch itself, and two of them one behind the other are one request with
// both contents. So the packages of pdata that hold the requests, and gRPC with them, are not needed.

func encode(batch otlpfile.Batch) ([]byte, error) {
	switch b := batch.(type) {
	case pmetric.Metrics:
		return (&pmetric.ProtoMarshaler{}).MarshalMetrics(b)
	case ptrace.Traces:
		return (&ptrace.ProtoMarshaler{}).MarshalTraces(b)
	case plog.Logs:
		return (&plog.ProtoMarshaler{}).MarshalLogs(b)
	}
	return nil, fmt.Errorf("not a batch: %T", batch)
}

func decode(signal otlpfile.Signal, body []byte) (otlpfile.Batch, error) {
	switch signal {
	case otlpfile.Metrics:
		return (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(body)
	case otlpfile.Traces:
		return (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(body)
	case otlpfile.Logs:
		return (&plog.ProtoUnmarshaler{}).UnmarshalLogs(body)
	}
	return nil, fmt.Errorf("no such signal: %q", signal)
}

// tenant is the resource attribute by which proxies tell whose data it is.
const tenant = "Authorization"

// stamp puts the raw token on every resource: it is in no file.
func stamp(batch otlpfile.Batch, token string) {
	put := func(r pcommon.Resource) { r.Attributes().PutStr(tenant, token) }
	switch b := batch.(type) {
	case pmetric.Metrics:
		for _, r := range b.ResourceMetrics().All() {
			put(r.Resource())
		}
	case ptrace.Traces:
		for _, r := range b.ResourceSpans().All() {
			put(r.Resource())
		}
	case plog.Logs:
		for _, r := range b.ResourceLogs().All() {
			put(r.Resource())
		}
	}
}
