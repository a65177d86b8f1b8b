// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"net/http"
	"os"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/capture"
	"github.com/gym-otelcol/gym-otelcol/test/internal/pyprom"
)

func (e *Engine) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if e.options.MetricsHang {
		<-r.Context().Done()
		return
	}
	begin := time.Now()
	body, contentType, err := e.page()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// Logged before it is sent: an engine may be killed right after its last scrape, and
	// what a scraper got has to be in the log.
	e.pages.add(begin, time.Now(), body)
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(body) // a scraper that went away is no fault of the engine
}

// page returns the real page, or the capture that was asked for, byte for byte if it has no
// later one. It is read anew each time, so that a test can exchange it.
func (e *Engine) page() (body []byte, contentType string, err error) {
	if e.options.Replay == "" {
		return e.stats.registry.Page(), pyprom.ContentType, nil
	}
	contentType = e.options.ReplayType
	if contentType == "" {
		contentType = pyprom.ContentType
	}
	body, err = os.ReadFile(e.options.Replay)
	if err != nil || e.options.ReplayLater == "" {
		return body, contentType, err
	}
	later, err := os.ReadFile(e.options.ReplayLater)
	moving := capture.Page{Earlier: string(body), Later: string(later)}
	return []byte(moving.At(int(e.scrapes.Add(1) - 1))), contentType, err
}
