// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"encoding/json"
	"net/http"
	"time"
)

// Request is one request as it arrived and what was done with it.
type Request struct {
	Time    time.Time       `json:"time"`
	Path    string          `json:"path"`
	Signal  Signal          `json:"signal"`
	Header  http.Header     `json:"header"`
	Payload json.RawMessage `json:"payload"` // the whole content as OTLP JSON
	Count   Count           `json:"count"`

	// Status is what was answered, 0 when nothing was.
	Status int `json:"status"`
	// Taken says that the backend has the data now: it answered 200 the way OTLP wants
	// it. Resources without a tenant are dropped all the same.
	Taken bool `json:"taken"`
	// Rejected is how many items a partial success rejected.
	Rejected int64 `json:"rejected,omitempty"`
	// Error says why the body could not be read.
	Error string `json:"error,omitempty"`

	kept any
}

// Authorization is the request's header of that name.
func (r Request) Authorization() string { return r.Header.Get("Authorization") }
