// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

// What passes is tried again, until patience ends; what does not is not.
func TestBackendThatTakesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		faults ingest.Faults
		again  bool
		says   string
	}{
		"503":    {ingest.Faults{Status: 503}, true, "503"},
		"500":    {ingest.Faults{Status: 500}, true, "500"},
		"429":    {ingest.Faults{Status: 429}, true, "429"},
		"408":    {ingest.Faults{Status: 408}, true, "408"},
		"hangs":  {ingest.Faults{Hang: true}, true, "Timeout"},
		"HTML":   {ingest.Faults{HTML: true}, true, "text/html"},
		"401":    {ingest.Faults{Status: 401}, false, "token"},
		"403":    {ingest.Faults{Status: 403}, false, "token"},
		"404":    {ingest.Faults{Status: 404}, false, "endpoint"},
		"moved":  {ingest.Faults{Redirect: "http://127.0.0.1:1"}, false, "http://127.0.0.1:1"},
		"405":    {ingest.Faults{Status: 405}, false, "405"},
		"signal": {ingest.Faults{Status: 404, Signals: []ingest.Signal{ingest.Traces}}, false, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.spans("a", "b")
			b.others()
			b.opt.Signals = []otlpfile.Signal{otlpfile.Traces}
			b.opt.Timeout = 50 * time.Millisecond
			b.backend.SetFaults(c.faults)
			report := b.run()
			s := signalOf(t, report, otlpfile.Traces)
			if report.Settled() || s.Left != 2 || !strings.Contains(s.Error, c.says) {
				t.Errorf("%+v", s)
			}
			if n := len(b.backend.RequestsOf(ingest.Traces)); (n > 1) != c.again {
				t.Errorf("%d requests", n)
			}
			got := b.traces()
			if got.Undelivered != 2 || got.Position.Offset != 0 || got.LastError == nil {
				t.Errorf("%+v", got)
			}
			// The backend is back.
			b.backend.SetFaults(ingest.Faults{})
			b.opt.Timeout = 5 * time.Second
			b.opt.Signals = nil
			if report := b.run(); !report.Settled() {
				t.Errorf("%+v", report.Jobs[0])
			}
			b.complete(b.names, 1)
		})
	}
}

func TestBackendIsAway(t *testing.T) {
	b := newBench(t)
	b.spans("a")
	b.backend.Close()
	report := b.run()
	if s := signalOf(t, report, otlpfile.Traces); s.Left != 1 || !strings.Contains(s.Error, "attempts failed") {
		t.Errorf("%+v", s)
	}
}

func TestBackendComesBack(t *testing.T) {
	b := newBench(t)
	b.spans("a")
	b.opt.Patience = 20 * time.Second
	b.backend.SetFaults(ingest.Faults{Status: 503})
	time.AfterFunc(100*time.Millisecond, func() { b.backend.SetFaults(ingest.Faults{}) })
	if report := b.run(); !report.Settled() {
		t.Errorf("%+v", report.Jobs[0])
	}
	b.complete(b.names, 1)
}

// Another signal's trouble with its path is its own.
func TestOneSignalIsNotThere(t *testing.T) {
	b := newBench(t)
	b.spans("a")
	b.others()
	b.backend.SetFaults(ingest.Faults{Status: 404, Signals: []ingest.Signal{ingest.Metrics}})
	report := b.run()
	if signalOf(t, report, otlpfile.Metrics).Left != 1 || signalOf(t, report, otlpfile.Logs).Left != 0 {
		t.Errorf("%+v", report.Jobs[0])
	}
	b.complete(b.names, 1)
}

func TestPoison(t *testing.T) {
	b := newBench(t)
	b.spans(numbered("good-a-", 30)...)
	line := b.spans(append(numbered("poison-", 45), numbered("good-b-", 30)...)...)
	b.spans(numbered("good-c-", 30)...)
	b.backend.SetFaults(ingest.Faults{Poison: "poison-"})
	report := b.run()
	s := signalOf(t, report, otlpfile.Traces)
	if !report.Settled() || s.Rejected != 45 || s.Sent != 90 {
		t.Errorf("%+v", s)
	}
	for name := range b.names {
		if strings.HasPrefix(name, "poison-") {
			delete(b.names, name)
		}
	}
	b.complete(b.names, 1)
	got := b.traces()
	if got.Rejected != 45 || got.Position.Offset != fileSize(t, b) || got.Position.Rejected != 45 || len(got.Ranges) != 1 {
		t.Fatalf("%+v", got)
	}
	if r := got.Ranges[0]; r.Items != 45 || r.Status != 400 || r.Reason != "rejected" || r.End-r.Start != int64(len(line)) {
		t.Errorf("%+v", r)
	}
	// The rejected ones go out once more with --all.
	b.backend.SetFaults(ingest.Faults{})
	b.opt.All = true
	if report := b.run(); signalOf(t, report, otlpfile.Traces).Sent != 135 || b.traces().Rejected != 0 {
		t.Errorf("%+v", report.Jobs[0].Signals[0])
	}
}

// A backend that refuses all data is no reason to give all data up.
func TestEverythingIsRefused(t *testing.T) {
	for _, status := range []int{400, 413, 422} {
		b := newBench(t)
		for _, name := range numbered("line-", 40) {
			b.spans(name)
		}
		b.backend.SetFaults(ingest.Faults{Status: status})
		report := b.run()
		s := signalOf(t, report, otlpfile.Traces)
		if s.Left != 40 || s.Rejected != 0 || !strings.Contains(s.Error, "not the data") {
			t.Errorf("%d: %+v", status, s)
		}
		if got := b.traces(); got.Undelivered != 40 || got.Rejected != 0 || got.Position.Offset != 0 {
			t.Errorf("%d: %+v", status, got)
		}
	}
}

func TestTooLarge(t *testing.T) {
	b := newBench(t)
	b.spans(numbered("long-", 500)...)
	for _, name := range numbered("line-", 100) {
		b.spans(name)
	}
	b.backend.SetFaults(ingest.Faults{MaxItems: 30})
	report := b.run()
	if s := signalOf(t, report, otlpfile.Traces); !report.Settled() || s.Sent != 600 || s.Rejected != 0 {
		t.Errorf("%+v", s)
	}
	b.complete(b.names, 1)
	if got := b.traces(); len(got.Ranges) != 0 {
		t.Errorf("%+v", got.Ranges)
	}
}

func TestPartialSuccess(t *testing.T) {
	b := newBench(t)
	b.spans("a", "b", "c")
	b.spans("d")
	b.backend.SetFaults(ingest.Faults{Reject: 2})
	report := b.run()
	if s := signalOf(t, report, otlpfile.Traces); !report.Settled() || s.Sent != 2 || s.Rejected != 2 {
		t.Errorf("%+v", s)
	}
	if got := b.traces(); got.Rejected != 2 || len(got.Ranges) != 1 || got.Ranges[0].Reason != "partial" {
		t.Errorf("%+v", got)
	}
}

func TestRedirectGetsNoToken(t *testing.T) {
	other := ingest.Start(t, ingest.Options{})
	b := newBench(t)
	b.spans("a")
	b.backend.SetFaults(ingest.Faults{Redirect: other.URL})
	if report := b.run(); !strings.Contains(signalOf(t, report, otlpfile.Traces).Error, other.URL) {
		t.Errorf("%+v", report.Jobs[0].Signals[0])
	}
	if n := len(other.Requests()); n != 0 {
		t.Errorf("the other server got %d requests", n)
	}
}

// A server that repeats what it got brings the token into nothing that stays.
func TestEcho(t *testing.T) {
	for _, status := range []int{400, 401, 503} {
		b := newBench(t)
		b.spans("a", "b")
		b.backend.SetFaults(ingest.Faults{Status: status, Echo: true})
		report, err := json.Marshal(b.run())
		if err != nil {
			t.Fatal(err)
		}
		record, err := json.Marshal(b.record())
		if err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string]string{"report": string(report), "record": string(record), "talk": b.said.String()} {
			for _, form := range []string{testToken, `t0ken \"with`, "t0ken"} {
				if strings.Contains(text, form) {
					t.Errorf("%d: the %s has the token: %s", status, where, text)
				}
			}
		}
	}
}
