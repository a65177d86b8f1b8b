// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	instanceIDAttribute          = "service.instance.id"
	serviceNameAttribute         = "service.name"
	serviceNameOverrideAttribute = "service.name.override"
	processIDAttribute           = "process.pid"

	unknownService = "unknown_service"
)

// producerID tells the producers of one job on one host apart. A producer that names itself is believed;
// otherwise its service stands in, with its pid because a service may run many processes.
func producerID(attrs pcommon.Map) string {
	if own := text(attrs, instanceIDAttribute); own != "" {
		return own
	}
	service := serviceOf(attrs)
	if pid := text(attrs, processIDAttribute); pid != "" {
		return service + ":" + pid
	}
	return service
}

// serviceOf prefers the override: it holds the producer's own name where service.name is the same for all.
func serviceOf(attrs pcommon.Map) string {
	for _, key := range [...]string{serviceNameOverrideAttribute, serviceNameAttribute} {
		if name := text(attrs, key); name != "" {
			return name
		}
	}
	return unknownService
}

// text is the attribute as text, whatever its type, and nothing when there is none.
func text(attrs pcommon.Map, key string) string {
	value, found := attrs.Get(key)
	if !found {
		return ""
	}
	return value.AsString()
}
