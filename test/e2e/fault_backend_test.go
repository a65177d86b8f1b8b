// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// A backend that takes nothing from the first request to the last.
func TestFaultBackendAwayForTheWholeRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults ingest.Faults
		status int
		state  string
		closed bool
	}{
		"503":       {faults: ingest.Faults{Status: http.StatusServiceUnavailable}, status: 503},
		"500":       {faults: ingest.Faults{Status: http.StatusInternalServerError}, status: 500},
		"429, wait": {faults: ingest.Faults{Status: http.StatusTooManyRequests, RetryAfter: 5 * time.Minute}, status: 429},
		"hangs":     {faults: ingest.Faults{Hang: true}},
		"refuses":   {closed: true},
		"401":       {faults: ingest.Faults{Status: http.StatusUnauthorized}, status: 401},
		"403":       {faults: ingest.Faults{Status: http.StatusForbidden}, status: 403},
		"HTML, 200": {faults: ingest.Faults{HTML: true}, status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigApart(t)
			r.f.backend.SetFaults(c.faults)
			if c.closed {
				r.f.backend.Close()
			}
			r.start(t)
			for range 5 {
				r.mustSend(t, 20)
			}
			if !c.closed {
				r.awaitTried(t)
			}
			if c.status != 0 { // while it lasts, the log says what it is
				r.collector.Line(t, 10*time.Second, strconv.Itoa(c.status))
			}
			r.stop(t)
			same(t, "traces.jsonl", r.inFile(t), r.answered)
			file := r.record(t)
			for signal, got := range file.Signals {
				if got.Delivered != 0 || got.Rejected != 0 || got.Lost != 0 || got.Undelivered != got.Accepted {
					t.Errorf("%s: %+v, want all of it undelivered", signal, got)
				}
			}
			got := r.traces(t)
			if got.Accepted != 100 || got.Position.Offset != 0 || got.LastError == nil || got.LastError.Status != c.status {
				t.Errorf("traces: %+v, last error %+v", got, got.LastError)
			}
			if !file.Ended {
				t.Error("delivery.json does not say that the collector ended in order")
			}
			if len(r.atBackend()) != 0 {
				t.Error("the backend took something")
			}
			if c.closed {
				r.f.backend = ingest.Start(t, ingest.Options{})
			}
			r.f.backend.SetFaults(ingest.Faults{})
			r.replay(t)
			same(t, "the backend", r.atBackend(), r.answered)
		})
	}
}

func TestFaultBackendDownInTheMiddle(t *testing.T) {
	r := newRigApart(t)
	r.start(t)
	r.mustSend(t, 10)
	r.awaitDelivered(t, 10*time.Second)
	r.f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	r.keepSending(t, 10, 50*time.Millisecond, lasting(5*time.Second, 30*time.Second))
	r.f.backend.SetFaults(ingest.Faults{})
	r.awaitDelivered(t, 40*time.Second)
	r.stop(t)
	delivered(t, r, int64(len(r.answered)))
}

// A token that was good for a while: what came before is not sent again, what came after waits for a better one.
func TestFaultTokenExpires(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			r := newRigApart(t)
			r.start(t)
			r.mustSend(t, 10)
			r.awaitDelivered(t, 10*time.Second)
			r.f.backend.SetFaults(ingest.Faults{Status: status})
			for range 5 {
				r.mustSend(t, 10)
			}
			r.collector.Line(t, 10*time.Second, "the endpoint refuses everything")
			r.stop(t)
			if got := r.traces(t); got.Delivered != 10 || got.Undelivered != 50 || got.Position.Offset == 0 {
				t.Errorf("traces: %+v, want the position behind what was delivered", got)
			}
			r.f.backend.SetFaults(ingest.Faults{})
			r.replay(t)
			same(t, "the backend", r.atBackend(), r.answered)
			if sent := r.f.backend.Total(ingest.Traces).KeptItems; sent != 60 {
				t.Errorf("the backend got %d spans, want each of 60 once", sent)
			}
		})
	}
}

// delivered expects everything to have reached file and backend.
func delivered(t *testing.T, r *rig, items int64) {
	t.Helper()
	same(t, "traces.jsonl", r.inFile(t), r.answered)
	same(t, "the backend", r.atBackend(), r.answered)
	if got := r.traces(t); got.Accepted != items || got.Delivered != items {
		t.Errorf("traces: %+v, want %d accepted and delivered", got, items)
	}
}

func TestFaultBackendDownAroundTheEnd(t *testing.T) {
	r := newRigApart(t)
	r.start(t)
	r.f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	r.mustSend(t, 50)
	r.awaitTried(t)
	time.AfterFunc(5*time.Second, func() { r.f.backend.SetFaults(ingest.Faults{}) })
	if took := r.stop(t); took > 10*time.Second {
		t.Errorf("the backend was back after 5 s, the collector gone after %v", took)
	}
	delivered(t, r, 50)
	for signal, got := range r.record(t).Signals {
		if got.Undelivered != 0 {
			t.Errorf("%s: %+v, want nothing left to replay", signal, got)
		}
	}
}

// The same as a job: the backend goes away 5 s before the driver's end and comes back 5 s after it.
func TestFaultBackendDownAroundTheDriversEnd(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Command = strings.Replace(chattyDriver, "--duration 3s", "--duration 8s", 1)
	s := f.start(t)
	requested := func(signal ingest.Signal) func() error {
		return func() error {
			if len(f.backend.RequestsOf(signal)) == 0 {
				return fmt.Errorf("no request for %s reached the backend", signal)
			}
			return nil
		}
	}
	wait.For(t, 60*time.Second, requested(ingest.Traces)) // the driver is at work
	time.Sleep(3 * time.Second)                           // of its eight
	f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	wait.For(t, 60*time.Second, func() error {
		found, _ := filepath.Glob(filepath.Join(f.dir, "runs", "gym-job-*", "gpqa", "driver-ended"))
		if len(found) == 0 {
			return errors.New("the driver has not ended")
		}
		return nil
	})
	time.AfterFunc(5*time.Second, func() { f.backend.SetFaults(ingest.Faults{}) })
	r := f.finish(t, s)
	if r.codes["gpqa"] != 7 || !strings.Contains(r.log, "the backend has all of it") {
		t.Errorf("code %d, want the driver's 7 and nothing left to replay:\n%s", r.codes["gpqa"], r.log)
	}
	for _, signal := range otlpfile.Signals {
		same(t, string(signal)+" at the backend", itemsAtBackend(t, f, signal), itemsInFile(t, r.dir, signal))
	}
	finalCountersExact(t, f, r)
}

func TestFaultPartialSuccess(t *testing.T) {
	r := newRig(t)
	r.f.backend.SetFaults(ingest.Faults{Signals: []ingest.Signal{ingest.Traces}, Reject: 3})
	r.start(t)
	r.mustSend(t, 10)
	r.awaitDelivered(t, 10*time.Second)
	r.stop(t)
	if got := r.traces(t); got.Accepted != 10 || got.Delivered != 7 || got.Rejected != 3 || len(got.Ranges) != 1 || got.Ranges[0].Reason != "partial" {
		t.Errorf("traces: %+v, want 3 of 10 rejected as told", got)
	}
}

func TestFaultRequestTooLarge(t *testing.T) {
	r := newRig(t)
	r.f.backend.SetFaults(ingest.Faults{MaxItems: 30})
	r.start(t)
	r.mustSend(t, 500) // one line
	for range 10 {
		r.mustSend(t, 20)
	}
	r.awaitDelivered(t, 30*time.Second)
	r.stop(t)
	delivered(t, r, 700)
}

func TestFaultPoison(t *testing.T) {
	r := newRig(t)
	r.f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	r.start(t)
	r.mustSend(t, 100)
	if err := r.send(5, "poison-"); err != nil {
		t.Fatal(err)
	}
	if err := r.send(40, "poison-"); err != nil { // more than a few refusals in a row
		t.Fatal(err)
	}
	r.mustSend(t, 100)
	r.f.backend.SetFaults(ingest.Faults{Poison: "poison-"})
	good := map[string]bool{}
	for name := range r.answered {
		if strings.HasPrefix(name, "span-") {
			good[name] = true
		}
	}
	poisoned := r.answered
	r.answered = good
	r.awaitDelivered(t, 30*time.Second)
	r.stop(t)
	same(t, "the backend", r.atBackend(), good)
	same(t, "traces.jsonl", r.inFile(t), poisoned)
	if got := r.traces(t); got.Accepted != 245 || got.Delivered != 200 || got.Rejected != 45 {
		t.Errorf("traces: %+v, want 200 delivered and 45 rejected", got)
	}
}

func TestFaultRedirect(t *testing.T) {
	other := ingest.Start(t, ingest.Options{})
	r := newRigApart(t)
	r.f.backend.SetFaults(ingest.Faults{Redirect: other.URL})
	r.start(t)
	r.mustSend(t, 10)
	r.awaitTried(t)
	r.collector.Line(t, 10*time.Second, other.URL)
	r.stop(t)
	if got := other.Requests(); len(got) != 0 {
		t.Errorf("the target of the redirect got %d requests, the first with the header %q", len(got), got[0].Authorization())
	}
	if got := r.traces(t); got.Undelivered != 10 || got.LastError.Class != "endpoint" || !strings.Contains(got.LastError.Message, other.URL) {
		t.Errorf("traces: %+v, last error %+v", got, got.LastError)
	}
}

func TestFaultServerThatEchoesTheToken(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 503} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			r := newRigApart(t)
			r.edit = func(config string) string {
				return strings.Replace(config, "\n  telemetry:\n", "\n  telemetry:\n    logs: {level: debug, sampling: {enabled: false}}\n", 1)
			}
			r.f.backend.SetFaults(ingest.Faults{Status: status, Echo: true})
			r.start(t)
			r.mustSend(t, 10)
			r.awaitTried(t)
			r.stop(t)
			texts := map[string]string{"the log": r.collector.Output(), "delivery.json": readFile(t, r.dir+"/delivery.json")}
			for where, text := range texts {
				quoted := asJSON(t, token)
				for _, form := range []string{token, quoted[1 : len(quoted)-1], `a$b${HOME}c`} {
					if strings.Contains(text, form) {
						t.Errorf("%s has the token in it", where)
					}
				}
			}
		})
	}
}
