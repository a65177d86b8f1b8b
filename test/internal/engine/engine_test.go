// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/gym-otelcol/gym-otelcol/test/internal/pyprom"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

const testModel = "some/model"

func start(t *testing.T, o Options) string {
	t.Helper()
	o.Model = testModel
	server := httptest.NewServer(New(o).Handler())
	t.Cleanup(server.Close)
	return server.URL
}

func get(t *testing.T, url string) (status int, contentType, body string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(text)
}

func chat(t *testing.T, url, body string) (status int, answer string) {
	t.Helper()
	response, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func families(t *testing.T, url string) map[string]*dto.MetricFamily {
	t.Helper()
	_, _, page := get(t, url+"/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// value adds up a counter or gauge over the series that have this label, any if empty.
func value(f map[string]*dto.MetricFamily, name, label string) (sum float64) {
	for _, metric := range f[name].GetMetric() {
		if label == "" || strings.Contains(fmt.Sprint(metric.GetLabel()), `"`+label+`"`) {
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
		}
	}
	return sum
}

func observed(f map[string]*dto.MetricFamily, name string) (count uint64, sum float64) {
	h := f[name].GetMetric()[0].GetHistogram()
	return h.GetSampleCount(), h.GetSampleSum()
}

func TestHealth(t *testing.T) {
	if status, _, _ := get(t, start(t, Options{})+"/health"); status != 200 {
		t.Errorf("at once: %d", status)
	}
	if status, _, _ := get(t, start(t, Options{NeverHealthy: true})+"/health"); status != 503 {
		t.Errorf("never healthy: %d", status)
	}
	url := start(t, Options{StartDelay: 200 * time.Millisecond})
	if status, _, _ := get(t, url+"/health"); status != 503 {
		t.Errorf("before the delay: %d", status)
	}
	wait.For(t, 5*time.Second, func() error {
		if status, _, _ := get(t, url+"/health"); status != 200 {
			return fmt.Errorf("status %d", status)
		}
		return nil
	})
}

func TestCountsWhatItServes(t *testing.T) {
	url := start(t, Options{Tokens: 20})
	status, answer := chat(t, url, `{"model":"some/model","messages":[{"role":"user","content":"two words"}]}`)
	if status != 200 || !strings.Contains(answer, `"usage":{"prompt_tokens":3,"completion_tokens":20,"total_tokens":23}`) {
		t.Errorf("%d %s", status, answer)
	}
	_, answer = chat(t, url, `{"model":"some/model","max_tokens":5,"messages":[{"role":"user","content":[{"text":"a b c"}]}]}`)
	if !strings.Contains(answer, `"finish_reason":"length"`) {
		t.Error(answer)
	}
	if status, _ := chat(t, url, `{"model":"other"}`); status != 404 {
		t.Errorf("wrong model: %d", status)
	}
	if status, _ := chat(t, url, `{`); status != 400 {
		t.Errorf("no JSON: %d", status)
	}

	f := families(t, url)
	for _, want := range []struct {
		name, label string
		value       float64
	}{
		{"vllm:prompt_tokens_total", testModel, 3 + 4},
		{"vllm:generation_tokens_total", testModel, 20 + 5},
		{"vllm:request_success_total", "stop", 1},
		{"vllm:request_success_total", "length", 1},
		{"vllm:request_success_total", "abort", 0},
		{"vllm:prompt_tokens_by_source_total", "local_compute", 7},
		{"vllm:num_requests_running", "", 0},
		{"vllm:kv_cache_usage_perc", "", 0},
		{"http_requests_total", "2xx", 2},
		{"http_requests_total", "4xx", 2},
	} {
		if got := value(f, want.name, want.label); got != want.value {
			t.Errorf("%s{%s} = %v, want %v", want.name, want.label, got, want.value)
		}
	}
	if count, sum := observed(f, "vllm:request_generation_tokens"); count != 2 || sum != 25 {
		t.Errorf("request_generation_tokens: %d, %v", count, sum)
	}
	if count, _ := observed(f, "vllm:inter_token_latency_seconds"); count != 19+4 {
		t.Errorf("inter_token_latency_seconds: %d", count)
	}
	if _, sum := observed(f, "vllm:iteration_tokens_total"); sum != 7+25 {
		t.Errorf("iteration_tokens_total: %v", sum)
	}
}

func TestStream(t *testing.T) {
	url := start(t, Options{Tokens: 3, Latency: 40 * time.Millisecond})
	_, answer := chat(t, url, `{"model":"some/model","stream":true,"stream_options":{"include_usage":true},"messages":[{"content":"x"}]}`)
	if n := strings.Count(answer, "word "); n != 3 {
		t.Errorf("%d words in %s", n, answer)
	}
	for _, want := range []string{`"role":"assistant"`, `"finish_reason":"stop"`, `"completion_tokens":3`, "data: [DONE]\n\n"} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in %s", want, answer)
		}
	}
}

func TestRunningAndAborted(t *testing.T) {
	url := start(t, Options{Latency: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		body := strings.NewReader(`{"model":"some/model"}`)
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", body)
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
		}
	}()
	reaches := func(name, label string, want float64) {
		t.Helper()
		wait.For(t, 5*time.Second, func() error {
			if got := value(families(t, url), name, label); got != want {
				return fmt.Errorf("%s = %v, want %v", name, got, want)
			}
			return nil
		})
	}
	reaches("vllm:num_requests_running", "", 1)
	reaches("vllm:kv_cache_usage_perc", "", kvShare)
	cancel()
	<-gone
	reaches("vllm:request_success_total", "abort", 1)
	reaches("vllm:num_requests_running", "", 0)
}

// bounds that a dashboard built for the real engine relies on.
func TestPageIsTheRealOne(t *testing.T) {
	f := families(t, start(t, Options{}))
	for name, want := range map[string]struct {
		bounds int
		last   float64
	}{
		"vllm:iteration_tokens_total":         {13, 16384},
		"vllm:request_prompt_tokens":          {16, 100000},
		"vllm:time_to_first_token_seconds":    {22, 2560},
		"vllm:inter_token_latency_seconds":    {19, 80},
		"vllm:e2e_request_latency_seconds":    {21, 7680},
		"http_request_duration_highr_seconds": {21, 60},
	} {
		buckets := f[name].GetMetric()[0].GetHistogram().GetBucket()
		if len(buckets) != want.bounds+1 {
			t.Errorf("%s: %d bounds, want %d", name, len(buckets)-1, want.bounds)
			continue
		}
		if last := buckets[want.bounds-1].GetUpperBound(); last != want.last {
			t.Errorf("%s: last bound %v, want %v", name, last, want.last)
		}
		if !math.IsInf(buckets[want.bounds].GetUpperBound(), 1) {
			t.Errorf("%s does not end in +Inf", name)
		}
		if f[name+"_created"].GetType() != dto.MetricType_GAUGE {
			t.Errorf("%s_created is no gauge", name)
		}
	}
	for name, family := range f {
		if !strings.HasPrefix(name, "vllm:") || name == "vllm:cache_config_info" {
			continue
		}
		if text := fmt.Sprint(family.GetMetric()[0].GetLabel()); !strings.Contains(text, testModel) || !strings.Contains(text, `"0"`) {
			t.Errorf("%s has the labels %s", name, text)
		}
	}
}

// The library that real engines serve their page with has to be able to read ours.
func TestPythonReadsThePage(t *testing.T) {
	const script = `
import sys
from prometheus_client.parser import text_string_to_metric_families as parse
print(len(list(parse(sys.stdin.read()))))`
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import prometheus_client").Run() != nil {
		t.Skip("python3-prometheus-client not installed")
	}
	url := start(t, Options{})
	chat(t, url, `{"model":"some/model"}`)
	_, _, page := get(t, url+"/metrics")
	command := exec.Command(python, "-c", script)
	command.Stdin = strings.NewReader(page)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := fmt.Sprintln(strings.Count(page, "# TYPE ")); string(out) != want {
		t.Errorf("python sees %s families, want %s", out, want)
	}
}

func TestReplay(t *testing.T) {
	capture := filepath.Join(t.TempDir(), "page.om")
	want := []byte("# TYPE a counter\na_total 1\n# EOF")
	if err := os.WriteFile(capture, want, 0o600); err != nil {
		t.Fatal(err)
	}
	const om = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	_, contentType, body := get(t, start(t, Options{Replay: capture, ReplayType: om})+"/metrics")
	if contentType != om || body != string(want) {
		t.Errorf("%s: %q", contentType, body)
	}
	_, contentType, _ = get(t, start(t, Options{Replay: capture})+"/metrics")
	if contentType != pyprom.ContentType {
		t.Errorf("default content type: %s", contentType)
	}
}

func TestPageLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	url := start(t, Options{PageLog: path})
	_, _, first := get(t, url+"/metrics")
	_, _, second := get(t, url+"/metrics")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(`{"begin":`); err != nil {
		t.Fatal(err)
	}
	pages, err := ReadPages(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 2 || pages[0].Body != first || pages[1].Body != second {
		t.Errorf("%d pages", len(pages))
	}
	if pages[1].End.Before(pages[1].Begin) || pages[1].Begin.Before(pages[0].End) {
		t.Error("times out of order")
	}
}

func TestMetricsHang(t *testing.T) {
	url := start(t, Options{MetricsHang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
		t.Error("the page answered")
	}
	if status, _, _ := get(t, url+"/health"); status != 200 {
		t.Errorf("health: %d", status)
	}
}

func TestModels(t *testing.T) {
	_, _, body := get(t, start(t, Options{})+"/v1/models")
	var models struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(bytes.NewBufferString(body)).Decode(&models); err != nil {
		t.Fatal(err)
	}
	if len(models.Data) != 1 || models.Data[0].ID != testModel {
		t.Errorf("%s", body)
	}
}
