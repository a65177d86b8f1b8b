// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"net/http"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

func TestRetryAfterIsBounded(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"3": 3 * time.Second, "86400": time.Minute, "-1": 0, "soon": 0, "": 0,
		time.Now().Add(24 * time.Hour).UTC().Format(http.TimeFormat): time.Minute,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestPartialAnswers(t *testing.T) {
	for text, want := range map[string]int64{
		`{}`: 0, `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}}`: 3, `{"partialSuccess":{"rejectedSpans":4}}`: 4,
		`{"partialSuccess":{"rejectedSpans":-4}}`: 0,
	} {
		if got, _, err := partialJSON(otlpfile.Traces, []byte(text)); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{`[]x`, `{"partialSuccess":{"rejectedSpans":"many"}}`} {
		if _, _, err := partialJSON(otlpfile.Traces, []byte(text)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
	if got, said, err := partialProto([]byte{0x0a, 5, 8, 7, 0x12, 1, 'x'}); err != nil || got != 7 || said != "x" {
		t.Errorf("%d %q %v", got, said, err)
	}
	if _, _, err := partialProto([]byte("<html>")); err == nil {
		t.Error("HTML was read")
	}
}

func FuzzPartialProto(f *testing.F) {
	f.Add([]byte{0x0a, 2, 8, 7})
	f.Fuzz(func(t *testing.T, text []byte) {
		if rejected, _, _ := partialProto(text); rejected < 0 {
			t.Errorf("%x: %d", text, rejected)
		}
	})
}
