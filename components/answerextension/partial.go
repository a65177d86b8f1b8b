// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package answerextension // import "github.com/gym-otelcol/gym-otelcol/components/answerextension"

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

type decoder interface {
	UnmarshalJSON([]byte) error
	UnmarshalProto([]byte) error
}

func decode(into decoder, kind string, body []byte) error {
	if kind == "application/json" {
		return into.UnmarshalJSON(body)
	}
	return into.UnmarshalProto(body)
}

// partialSuccess returns how many items a backend rejected of a request that it took, and why.
func partialSuccess(path, kind string, body []byte) (rejected int64, message string, err error) {
	switch {
	case strings.HasSuffix(path, "/traces"):
		response := ptraceotlp.NewExportResponse()
		err = decode(response, kind, body)
		rejected, message = response.PartialSuccess().RejectedSpans(), response.PartialSuccess().ErrorMessage()
	case strings.HasSuffix(path, "/logs"):
		response := plogotlp.NewExportResponse()
		err = decode(response, kind, body)
		rejected, message = response.PartialSuccess().RejectedLogRecords(), response.PartialSuccess().ErrorMessage()
	default:
		response := pmetricotlp.NewExportResponse()
		err = decode(response, kind, body)
		rejected, message = response.PartialSuccess().RejectedDataPoints(), response.PartialSuccess().ErrorMessage()
	}
	return max(0, rejected), message, err
}
