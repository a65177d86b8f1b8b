// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package test checks the stand-in that is not a Go program.
package test

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/gym-otelcol/gym-otelcol/test/internal/engine"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
)

const python = "/usr/bin/python3"

func startPage(t *testing.T, args ...string) (url string) {
	t.Helper()
	if exec.Command(python, "-c", "import prometheus_client").Run() != nil {
		t.Skip("python3-prometheus-client not installed")
	}
	p := proc.Start(t, exec.Command(python, append([]string{"vllmpage.py", "0"}, args...)...))
	_, url, _ = strings.Cut(p.Line(t, 20*time.Second, "serving"), "serving ")
	return url
}

func scrape(t *testing.T, url, accept string) (contentType, page string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Header.Get("Content-Type"), string(body)
}

func TestVLLMPage(t *testing.T) {
	log := filepath.Join(t.TempDir(), "pages")
	url := startPage(t, "--log", log)
	_, first := scrape(t, url, "application/openmetrics-text")
	contentType, second := scrape(t, url, "")
	if !strings.HasPrefix(contentType, "text/plain; version=0.0.4") {
		t.Errorf("content type %s", contentType)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(second))
	if err != nil {
		t.Fatal(err)
	}
	prompt := families["vllm:prompt_tokens_total"].GetMetric()[0]
	if got := prompt.GetCounter().GetValue(); got != 14 {
		t.Errorf("the second scrape saw %v prompt tokens, want 14", got)
	}
	pages, err := engine.ReadPages(log)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 2 || pages[0].Body != first || pages[1].Body != second || pages[1].End.Before(pages[1].Begin) {
		t.Errorf("%d pages in the log", len(pages))
	}
}

func TestVLLMPageInOpenMetrics(t *testing.T) {
	contentType, page := scrape(t, startPage(t, "--openmetrics"), "application/openmetrics-text; version=1.0.0")
	if !strings.HasPrefix(contentType, "application/openmetrics-text") || !strings.HasSuffix(page, "# EOF\n") {
		t.Errorf("%s: %s", contentType, page)
	}
}
