// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Faults are ways in which a backend goes wrong. The zero value is a healthy one.
type Faults struct {
	Signals []Signal // the signals it concerns; empty means all

	Delay          time.Duration // wait before answering
	ItemsPerSecond int           // take no more than that, and answer so much later
	Hang           bool          // never answer
	Status         int           // answer this instead of taking the data
	RetryAfter     time.Duration // sent along with Status
	Redirect       string        // answer 307 to this address, with the path added
	HTML           bool          // answer 200 with a page for people
	Reject         int64         // take the data, but for this many items
	Poison         string        // answer 400 when the content has this text in it
	MaxItems       int           // answer 413 when there are more
	NoTenant       bool          // answer 401 when a resource has no tenant, instead of dropping it without a word
	Echo           bool          // answer Status with the request's headers and content as the text
}

func (f Faults) concern(signal Signal) bool {
	return len(f.Signals) == 0 || slices.Contains(f.Signals, signal)
}

// refuse answers a request that is not taken; it reports false when there is no reason
// to refuse it. The status is 0 when nothing was answered.
func (f Faults) refuse(w http.ResponseWriter, r *http.Request, got Request, closing <-chan struct{}) (status int, refused bool) {
	switch {
	case f.Poison != "" && bytes.Contains(got.Payload, []byte(f.Poison)):
		return answer(w, http.StatusBadRequest, "text/plain", "poison"), true
	case f.MaxItems > 0 && got.Count.KeptItems+got.Count.DroppedItems > f.MaxItems:
		return answer(w, http.StatusRequestEntityTooLarge, "text/plain", "too large"), true
	case f.NoTenant && got.Count.DroppedItems > 0:
		return answer(w, http.StatusUnauthorized, "text/plain", "no tenant"), true
	case f.Echo:
		return answer(w, f.Status, "text/plain", fmt.Sprintf("%v\n%s", r.Header, got.Payload)), true
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-closing:
		}
		return 0, true
	case f.Redirect != "":
		w.Header().Set("Location", f.Redirect+r.URL.Path)
		return answer(w, http.StatusTemporaryRedirect, "text/plain", "moved"), true
	case f.Status != 0:
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
		}
		return answer(w, f.Status, "text/plain", http.StatusText(f.Status)), true
	case f.HTML:
		return answer(w, http.StatusOK, "text/html; charset=utf-8", "<html><body>Please log in.</body></html>"), true
	}
	return 0, false
}

func answer(w http.ResponseWriter, status int, contentType, body string) int {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) // the client may be gone, which is its own business
	return status
}

// pause sleeps for the delay, or until the client goes or the server closes.
func (f Faults) pause(r *http.Request, items int, closing <-chan struct{}) {
	delay := f.Delay
	if f.ItemsPerSecond > 0 {
		delay += time.Duration(items) * time.Second / time.Duration(f.ItemsPerSecond)
	}
	if delay <= 0 {
		return
	}
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
	case <-closing:
	}
}
