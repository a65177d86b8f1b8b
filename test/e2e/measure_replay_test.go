// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// replayed is how much JSONL measureReplay sends. Memory does not depend on it.
const replayed = 512 << 20

// measureReplay times gym-submit replay over the lines of real scrapes, to a server that takes everything.
func measureReplay(t *testing.T) {
	captures := "../../components/gymprocessor/testdata/"
	r := newRig(t)
	r.f.Otel["gpu_metrics_port"] = replay(t, captures+"dcgm-exporter-gb200-4gpu.prom")
	r.f.Otel["node_metrics_port"] = replay(t, captures+"node_exporter-1.5.0-debian.prom")
	r.start(t, "services.policy.port="+replay(t, captures+"vllm-v1-qwen2.5-3b-t1.prom"))
	time.Sleep(5 * time.Second) // some scrapes
	r.stop(t)
	path := filepath.Join(r.dir, otlpfile.Metrics.FileName())
	lines := []byte(readFile(t, path))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	for size := 0; size < replayed; size += len(lines) {
		_, err := f.Write(lines)
		must(t, err)
	}
	must(t, f.Close())

	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the answer says it
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer sink.Close()
	cmd := exec.Command(filepath.Join(programs, "gym-submit"), "replay", "--endpoint", sink.URL, filepath.Dir(r.dir))
	cmd.Env = append(testEnviron(), "OTEL_TOKEN="+token, "XDG_STATE_HOME="+filepath.Join(r.f.dir, "state"))
	var talk bytes.Buffer
	cmd.Stderr = &talk
	began := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, talk.String())
	}
	took := time.Since(began)
	if got := r.record(t).Signals[otlpfile.Metrics]; got.Undelivered != 0 || got.Delivered != got.Accepted {
		t.Errorf("metrics: %+v, want all of it delivered", got)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	figure("replay of 512 MiB of JSONL: rate", "%.0f MB/s", replayed/1e6/took.Seconds())
	figure("replay of 512 MiB of JSONL: processor time", "%v", (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(100*time.Millisecond))
	figure("replay of 512 MiB of JSONL: resident memory, peak", "%.0f MB", float64(usage.Maxrss)/1e3)
}
