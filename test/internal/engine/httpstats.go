// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/pyprom"
)

// httpStats are what the HTTP framework around the engine counts. As there, /health and
// /metrics are not counted.
type httpStats struct {
	registry  *pyprom.Registry
	requests  *pyprom.Family
	sizeIn    *pyprom.Family
	sizeOut   *pyprom.Family
	fine      *pyprom.Series
	byHandler *pyprom.Family
}

func newHTTPStats(r *pyprom.Registry) *httpStats {
	fine := []float64{.01, .025, .05, .075, .1, .25, .5, .75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 7.5, 10, 30, 60}
	return &httpStats{
		registry:  r,
		requests:  r.Counter("http_requests", "Requests by method, status and handler.", "handler", "method", "status"),
		sizeIn:    r.Summary("http_request_size_bytes", "Content length of requests by handler.", "handler"),
		sizeOut:   r.Summary("http_response_size_bytes", "Content length of responses by handler.", "handler"),
		fine:      r.Histogram("http_request_duration_highr_seconds", "Time of requests, many buckets, no label.", fine).With(),
		byHandler: r.Histogram("http_request_duration_seconds", "Time of requests by handler.", []float64{.1, .5, 1}, "handler", "method"),
	}
}

// count wraps a handler; path is the label `handler`.
func (s *httpStats) count(path string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		watched := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next(watched, r)
		took := time.Since(begin).Seconds()
		s.registry.Update(func() {
			s.requests.With(path, r.Method, statusClass(watched.status)).Add(1)
			s.sizeIn.With(path).Observe(float64(max(r.ContentLength, 0)))
			s.sizeOut.With(path).Observe(declaredLength(w.Header()))
			s.fine.Observe(took)
			s.byHandler.With(path, r.Method).Observe(took)
		})
	})
}

func statusClass(status int) string { return fmt.Sprintf("%dxx", status/100) }

// declaredLength is the header's value: a stream has none and counts as 0.
func declaredLength(header http.Header) float64 {
	n, _ := strconv.Atoi(header.Get("Content-Length"))
	return float64(n)
}

// statusWriter remembers the status that a handler set.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach Flush.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
