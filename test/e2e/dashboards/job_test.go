// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboards

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/capture"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
)

const (
	token    = "s3cr3t-canary"
	recorded = "../../../components/gymprocessor/testdata/"
)

// job is one finished run.
type job struct {
	dir    string // of the run
	pages  string // every page that the engine `policy` served
	begun  time.Time
	submit func(args ...string) ([]byte, error)
}

// submitFile has two engines, so that there is something to balance: one that serves
// requests, with all optional families, and one that replays a recorded page.
const submitFile = `
services:
  policy:
    type: vllm
    model: Org/Tiny-0.1B
    served_model_name: tiny
    port: 8000
    env: {ENGINE_PAGE_LOG: %[1]q, ENGINE_OPTIONAL: "1", ENGINE_START_DELAY: 3s, ENGINE_LATENCY: 400ms}
  judge:
    type: vllm
    model: Qwen/Qwen2.5-3B-Instruct
    port: 8001
    env: {ENGINE_REPLAY: %[2]q, ENGINE_REPLAY_LATER: %[3]q, ENGINE_START_DELAY: 3s}
compute:
  testcluster:
    type: local
driver:
  policy_model: policy
  benchmarks:
    gpqa:
      command: sleep 4; driver --engine http://localhost:8000 --model tiny --duration 32s --concurrency 4 --max-tokens 12; sleep 4
job:
  output_path: %[4]q
otel:
  endpoint: %[5]s
  service_name: gym-eval-service
  scrape_interval_seconds: 1
  gpu_metrics_port: %[6]s
  node_metrics_port: %[7]s
`

// runJob runs a whole local job that exports to endpoint.
func runJob(t *testing.T, endpoint string) job {
	t.Helper()
	dir := t.TempDir()
	j := job{pages: filepath.Join(dir, "pages.jsonl"), begun: time.Now()}
	file := filepath.Join(dir, "run.yaml")
	content := fmt.Sprintf(submitFile, j.pages, absolute(t, recorded+"vllm-v1-qwen2.5-3b-t1.prom"), absolute(t, "testdata/vllm-v1-qwen2.5-3b-t2.prom"),
		filepath.Join(dir, "runs"), endpoint,
		exporter(t, recorded+"dcgm-exporter-gb200-4gpu.prom", "testdata/dcgm-derived.prom"),
		exporter(t, recorded+"node_exporter-1.5.0-debian.prom", "testdata/node-derived.prom"))
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(programs, "gym-submit"), args...)
		cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "OTEL_TOKEN="+token, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		return cmd
	}
	j.submit = func(args ...string) ([]byte, error) { return command(args...).CombinedOutput() }
	p := proc.Start(t, command("-c", file))
	if code := p.Wait(t, 3*time.Minute); code != 0 {
		t.Fatalf("the job ended with code %d", code)
	}
	if runs, err := filepath.Glob(filepath.Join(dir, "runs", "gym-job-*")); err != nil || len(runs) != 1 {
		t.Fatalf("want one run, found %v (%v)", runs, err)
	} else {
		j.dir = runs[0]
	}
	return j
}

// exporter serves recorded and derived pages on one port, their counters advancing.
func exporter(t *testing.T, files ...string) (port string) {
	t.Helper()
	var page bytes.Buffer
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page.Write(data)
	}
	server := httptest.NewServer(capture.Page{Earlier: page.String()}.Handler())
	t.Cleanup(server.Close)
	return server.URL[strings.LastIndexByte(server.URL, ':')+1:]
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
