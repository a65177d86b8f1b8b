// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"errors"
	"fmt"
	"mime"
	"net/http"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Signal is the last element of a request's path.
type Signal string

// The signals of OTLP.
const (
	Metrics Signal = "metrics"
	Traces  Signal = "traces"
	Logs    Signal = "logs"
)

var errMediaType = errors.New("neither application/x-protobuf nor application/json")

// payload is the decoded body of a request of one signal.
type payload interface {
	// split moves the resources that have a tenant into kept and counts both kinds.
	split() (kept any, count Count)
	// json is the whole payload as OTLP JSON.
	json() ([]byte, error)
	// answer is the response in the encoding of the request.
	answer(asJSON bool, rejected int64) ([]byte, error)
}

// Count says what became of one request's content.
type Count struct {
	KeptResources    int `json:"kept_resources"`
	DroppedResources int `json:"dropped_resources"`
	KeptItems        int `json:"kept_items"` // data points, spans or log records
	DroppedItems     int `json:"dropped_items"`
}

func (c *Count) add(kept bool, items int) {
	if kept {
		c.KeptResources++
		c.KeptItems += items
		return
	}
	c.DroppedResources++
	c.DroppedItems += items
}

func isJSON(header http.Header) (bool, error) {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: %w", errMediaType, err)
	case kind == "application/json":
		return true, nil
	case kind == "application/x-protobuf":
		return false, nil
	}
	return false, errMediaType
}

// codec is what all export requests of pdata can do.
type codec interface {
	UnmarshalJSON([]byte) error
	UnmarshalProto([]byte) error
}

func unmarshal(into codec, body []byte, asJSON bool) error {
	if asJSON {
		return into.UnmarshalJSON(body)
	}
	return into.UnmarshalProto(body)
}

func decode(signal Signal, body []byte, asJSON bool) (payload, error) {
	switch signal {
	case Metrics:
		request := pmetricotlp.NewExportRequest()
		err := unmarshal(request, body, asJSON)
		return metricsPayload{request}, err
	case Traces:
		request := ptraceotlp.NewExportRequest()
		err := unmarshal(request, body, asJSON)
		return tracesPayload{request}, err
	case Logs:
		request := plogotlp.NewExportRequest()
		err := unmarshal(request, body, asJSON)
		return logsPayload{request}, err
	}
	return nil, fmt.Errorf("no such signal: %q", signal)
}

// tenantAttribute decides, resource by resource, whose data it is.
const tenantAttribute = "Authorization"

func hasTenant(resource pcommon.Resource) bool {
	value, ok := resource.Attributes().Get(tenantAttribute)
	return ok && value.AsString() != ""
}

type metricsPayload struct{ pmetricotlp.ExportRequest }

func (p metricsPayload) json() ([]byte, error) { return p.MarshalJSON() }

func (p metricsPayload) split() (any, Count) {
	var count Count
	kept := pmetric.NewMetrics()
	p.Metrics().CopyTo(kept)
	kept.ResourceMetrics().RemoveIf(func(r pmetric.ResourceMetrics) bool {
		ok := hasTenant(r.Resource())
		one := pmetric.NewMetrics()
		r.CopyTo(one.ResourceMetrics().AppendEmpty())
		count.add(ok, one.DataPointCount())
		return !ok
	})
	return kept, count
}

func (metricsPayload) answer(asJSON bool, rejected int64) ([]byte, error) {
	response := pmetricotlp.NewExportResponse()
	if rejected > 0 {
		response.PartialSuccess().SetRejectedDataPoints(rejected)
		response.PartialSuccess().SetErrorMessage(rejection)
	}
	if asJSON {
		return response.MarshalJSON()
	}
	return response.MarshalProto()
}

type tracesPayload struct{ ptraceotlp.ExportRequest }

func (p tracesPayload) json() ([]byte, error) { return p.MarshalJSON() }

func (p tracesPayload) split() (any, Count) {
	var count Count
	kept := ptrace.NewTraces()
	p.Traces().CopyTo(kept)
	kept.ResourceSpans().RemoveIf(func(r ptrace.ResourceSpans) bool {
		ok := hasTenant(r.Resource())
		one := ptrace.NewTraces()
		r.CopyTo(one.ResourceSpans().AppendEmpty())
		count.add(ok, one.SpanCount())
		return !ok
	})
	return kept, count
}

func (tracesPayload) answer(asJSON bool, rejected int64) ([]byte, error) {
	response := ptraceotlp.NewExportResponse()
	if rejected > 0 {
		response.PartialSuccess().SetRejectedSpans(rejected)
		response.PartialSuccess().SetErrorMessage(rejection)
	}
	if asJSON {
		return response.MarshalJSON()
	}
	return response.MarshalProto()
}

type logsPayload struct{ plogotlp.ExportRequest }

func (p logsPayload) json() ([]byte, error) { return p.MarshalJSON() }

func (p logsPayload) split() (any, Count) {
	var count Count
	kept := plog.NewLogs()
	p.Logs().CopyTo(kept)
	kept.ResourceLogs().RemoveIf(func(r plog.ResourceLogs) bool {
		ok := hasTenant(r.Resource())
		one := plog.NewLogs()
		r.CopyTo(one.ResourceLogs().AppendEmpty())
		count.add(ok, one.LogRecordCount())
		return !ok
	})
	return kept, count
}

func (logsPayload) answer(asJSON bool, rejected int64) ([]byte, error) {
	response := plogotlp.NewExportResponse()
	if rejected > 0 {
		response.PartialSuccess().SetRejectedLogRecords(rejected)
		response.PartialSuccess().SetErrorMessage(rejection)
	}
	if asJSON {
		return response.MarshalJSON()
	}
	return response.MarshalProto()
}

const rejection = "rejected on purpose"
