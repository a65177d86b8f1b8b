// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Requests is everything that arrived, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// RequestsOf is Requests of one signal.
func (s *Server) RequestsOf(signal Signal) []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Signal != signal })
}

// Metrics is what the backend has: taken, and with a tenant; one element a request.
func (s *Server) Metrics() []pmetric.Metrics { return taken[pmetric.Metrics](s) }

// Traces is what Metrics is, for traces.
func (s *Server) Traces() []ptrace.Traces { return taken[ptrace.Traces](s) }

// Logs is what Metrics is, for logs.
func (s *Server) Logs() []plog.Logs { return taken[plog.Logs](s) }

// Total adds up what became of the content of all requests of a signal that were taken.
func (s *Server) Total(signal Signal) Count {
	var sum Count
	for _, r := range s.RequestsOf(signal) {
		if r.Taken {
			sum.KeptResources += r.Count.KeptResources
			sum.DroppedResources += r.Count.DroppedResources
			sum.KeptItems += r.Count.KeptItems
			sum.DroppedItems += r.Count.DroppedItems
		}
	}
	return sum
}

// Dropped is how many resources of all signals were answered with 200 and thrown away.
func (s *Server) Dropped() int {
	return s.Total(Metrics).DroppedResources + s.Total(Traces).DroppedResources + s.Total(Logs).DroppedResources
}

func taken[T any](s *Server) []T {
	var all []T
	for _, r := range s.Requests() {
		if content, ok := r.kept.(T); ok && r.Taken {
			all = append(all, content)
		}
	}
	return all
}
