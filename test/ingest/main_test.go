// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
)

// asIngest in the environment makes the test binary be the proxy.
const asIngest = "TEST_AS_INGEST"

func TestMain(m *testing.M) {
	if os.Getenv(asIngest) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRecordsAndFails(t *testing.T) {
	const soon = 20 * time.Second
	record := filepath.Join(t.TempDir(), "record.jsonl")
	cmd := exec.Command(os.Args[0], "--record", record, "--status", "503", "--signals", "logs,traces")
	cmd.Env = append(os.Environ(), asIngest+"=1")
	p := proc.Start(t, cmd)
	url := p.Line(t, soon, "http://127.0.0.1:")
	for signal, want := range map[string]int{"logs": 503, "metrics": 200} {
		response, err := http.Post(url+"/v1/"+signal, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", signal, response.StatusCode, want)
		}
	}
	if code := p.Stop(t, soon); code != 0 {
		t.Errorf("exit code %d", code)
	}
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[ingest.Signal]bool{}
	for line := range strings.Lines(string(text)) {
		var request ingest.Request
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatal(err)
		}
		taken[request.Signal] = request.Taken
	}
	if len(taken) != 2 || taken[ingest.Logs] || !taken[ingest.Metrics] {
		t.Errorf("recorded: %v", taken)
	}
}
