// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"net/http"
	"sync/atomic"
	"time"
)

// Engine is one running engine.
type Engine struct {
	options Options
	started time.Time
	stats   *stats
	http    *httpStats
	pages   pageLog
	scrapes atomic.Int64
}

// New prepares an engine; its start delay counts from here.
func New(options Options) *Engine {
	if options.Tokens <= 0 {
		options.Tokens = 16
	}
	s := newStats(options.Model, options.Optional)
	return &Engine{
		options: options,
		started: time.Now(),
		stats:   s,
		http:    newHTTPStats(s.registry),
		pages:   pageLog{path: options.PageLog},
	}
}

// Handler serves the engine's API.
func (e *Engine) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /metrics", e.serveMetrics)
	mux.Handle("GET /v1/models", e.http.count("/v1/models", e.serveModels))
	mux.Handle("POST /v1/chat/completions", e.http.count("/v1/chat/completions", e.serveChat))
	return e.whenReady(mux)
}

// whenReady answers 503 while the engine would still be loading its model.
func (e *Engine) whenReady(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.options.NeverHealthy || time.Since(e.started) < e.options.StartDelay {
			http.Error(w, "engine is starting", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}
