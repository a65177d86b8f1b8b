// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// noRedirects keeps the client from following what a test wants to see.
var noRedirects = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

type message struct {
	path, contentType, encoding, token string

	body []byte
}

func send(t *testing.T, url string, m message) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+m.path, bytes.NewReader(m.body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", m.contentType)
	request.Header.Set("Authorization", "Bearer "+m.token)
	if m.encoding != "" {
		request.Header.Set("Content-Encoding", m.encoding)
	}
	response, err := noRedirects.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

func must(t *testing.T, body []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// twoResources has one resource with a tenant and two points, one without and one point.
func twoResources() pmetric.Metrics {
	m := pmetric.NewMetrics()
	for points, tenant := range map[int]string{2: "secret", 1: ""} {
		r := m.ResourceMetrics().AppendEmpty()
		if tenant != "" {
			r.Resource().Attributes().PutStr("Authorization", tenant)
		}
		gauge := r.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		gauge.SetName(fmt.Sprintf("m%d", points))
		gauge.SetEmptyGauge()
		for i := range points {
			gauge.Gauge().DataPoints().AppendEmpty().SetIntValue(int64(i))
		}
	}
	return m
}

func zipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDropsResourcesWithoutTenantAndAnswersOK(t *testing.T) {
	var record bytes.Buffer
	s := Start(t, Options{Record: &record})
	request := pmetricotlp.NewExportRequestFromMetrics(twoResources())
	proto, err := request.MarshalProto()
	body := zipped(t, must(t, proto, err))
	response, _ := send(t, s.URL, message{path: "/v1/metrics", contentType: "application/x-protobuf", encoding: "gzip", token: "h", body: body})
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("%d %s", response.StatusCode, response.Header.Get("Content-Type"))
	}
	if got := s.Metrics(); len(got) != 1 || got[0].DataPointCount() != 2 || got[0].ResourceMetrics().Len() != 1 {
		t.Errorf("kept %d", len(got))
	}
	want := Count{KeptResources: 1, DroppedResources: 1, KeptItems: 2, DroppedItems: 1}
	if got := s.Total(Metrics); got != want || s.Dropped() != 1 {
		t.Errorf("%+v, dropped %d", got, s.Dropped())
	}

	var line Request
	if err := json.Unmarshal(record.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	whole, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line.Payload)
	if err != nil || whole.DataPointCount() != 3 {
		t.Errorf("recorded payload: %v, %s", err, line.Payload)
	}
	if line.Authorization() != "Bearer h" || line.Count != want || line.Path != "/v1/metrics" || !line.Taken {
		t.Errorf("%+v", line)
	}
}

func TestAllSignalsInJSON(t *testing.T) {
	s := Start(t, Options{})
	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty()
	spans.Resource().Attributes().PutStr("Authorization", "x")
	spans.ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("a span")
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalJSON()
	send(t, s.URL, message{path: "/v1/traces", contentType: "application/json", body: must(t, body, err)})

	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty()
	records.Resource().Attributes().PutStr("Authorization", "x")
	records.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("a line")
	body, err = plogotlp.NewExportRequestFromLogs(logs).MarshalJSON()
	send(t, s.URL, message{path: "/v1/logs", contentType: "application/json", body: must(t, body, err)})

	if got := s.Traces(); len(got) != 1 || got[0].SpanCount() != 1 {
		t.Errorf("traces: %d", len(got))
	}
	if got := s.Logs(); len(got) != 1 || got[0].LogRecordCount() != 1 {
		t.Errorf("logs: %d", len(got))
	}
	if len(s.Metrics()) != 0 || len(s.Requests()) != 2 || len(s.RequestsOf(Logs)) != 1 {
		t.Errorf("requests: %d", len(s.Requests()))
	}
}

func TestFaults(t *testing.T) {
	request := pmetricotlp.NewExportRequestFromMetrics(twoResources())
	body, err := request.MarshalJSON()
	metrics := message{path: "/v1/metrics", contentType: "application/json", token: "t", body: must(t, body, err)}
	for name, test := range map[string]struct {
		options Options
		status  int
		taken   bool
		header  [2]string
		body    string
	}{
		"status":      {Options{Faults: Faults{Status: 503, RetryAfter: 2 * time.Second}}, 503, false, [2]string{"Retry-After", "2"}, "Unavailable"},
		"html":        {Options{Faults: Faults{HTML: true}}, 200, false, [2]string{"Content-Type", "text/html; charset=utf-8"}, "<html>"},
		"redirect":    {Options{Faults: Faults{Redirect: "http://elsewhere"}}, 307, false, [2]string{"Location", "http://elsewhere/v1/metrics"}, ""},
		"reject":      {Options{Faults: Faults{Reject: 1}}, 200, true, [2]string{"Content-Type", "application/json"}, `"rejectedDataPoints":"1"`},
		"delay":       {Options{Faults: Faults{Delay: time.Millisecond}}, 200, true, [2]string{}, ""},
		"token":       {Options{Token: "other"}, 401, false, [2]string{}, "unknown"},
		"right token": {Options{Token: "t"}, 200, true, [2]string{}, ""},
		"other":       {Options{Faults: Faults{Status: 500, Signals: []Signal{Logs}}}, 200, true, [2]string{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Start(t, test.options)
			response, body := send(t, s.URL, metrics)
			if response.StatusCode != test.status || !bytes.Contains(body, []byte(test.body)) {
				t.Errorf("%d %s", response.StatusCode, body)
			}
			if key := test.header[0]; key != "" && response.Header.Get(key) != test.header[1] {
				t.Errorf("%s: %q", key, response.Header.Get(key))
			}
			got := s.Requests()[0]
			if got.Taken != test.taken || got.Status != test.status || (len(s.Metrics()) == 1) != test.taken {
				t.Errorf("%+v", got)
			}
			if got.Count.KeptItems != 2 {
				t.Error("a refused request lost its count")
			}
		})
	}
}

func TestHangAndRecover(t *testing.T) {
	s := Start(t, Options{Faults: Faults{Hang: true}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/logs", bytes.NewBufferString("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
		t.Fatal("answered")
	}
	s.SetFaults(Faults{})
	response, _ := send(t, s.URL, message{path: "/v1/logs", contentType: "application/json", body: []byte("{}")})
	if response.StatusCode != 200 {
		t.Errorf("after the fault: %d", response.StatusCode)
	}
}

func TestUnreadable(t *testing.T) {
	s := Start(t, Options{})
	for name, test := range map[string]struct {
		message
		status int
	}{
		"media type": {message{path: "/v1/logs", contentType: "text/plain"}, 415},
		"encoding":   {message{path: "/v1/logs", contentType: "application/json", encoding: "br"}, 415},
		"not gzip":   {message{path: "/v1/logs", contentType: "application/json", encoding: "gzip", body: []byte("{}")}, 400},
		"json":       {message{path: "/v1/logs", contentType: "application/json", body: []byte("{")}, 400},
		"proto":      {message{path: "/v1/logs", contentType: "application/x-protobuf", body: []byte("x")}, 400},
		"signal":     {message{path: "/v1/profiles", contentType: "application/json"}, 400},
		"path":       {message{path: "/v2/logs", contentType: "application/json"}, 404},
	} {
		if response, _ := send(t, s.URL, test.message); response.StatusCode != test.status {
			t.Errorf("%s: %d, want %d", name, response.StatusCode, test.status)
		}
	}
}

func TestCloseEndsHangingRequests(t *testing.T) {
	s, err := New(Options{Faults: Faults{Hang: true}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		response, err := http.Post(s.URL+"/v1/logs", "application/json", bytes.NewBufferString("{}"))
		if err == nil {
			response.Body.Close()
		}
	}()
	s.Close()
	s.Close()
	<-done
}
