// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
)

// What the gym processor could not do as it was meant is counted where the run's owner looks.
func TestGymCounts(t *testing.T) {
	f := newFixture(t, &localSite{})
	page := filepath.Join(f.dir, "page")
	writeFile(t, page, `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running 1
# TYPE vllm_num_requests_running gauge
vllm_num_requests_running 2
`)
	f.Engine["ENGINE_REPLAY"] = page
	const secret = "Bearer somebody-elses-4711"
	body := `{"resourceSpans":[{"resource":{"attributes":[{"key":"AUTHORIZATION","value":{"stringValue":"` + secret + `"}}]},"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","name":"s"}]}]}]}`
	request := filepath.Join(f.dir, "request")
	writeFile(t, request, fmt.Sprintf("POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	f.Command = `bash -c 'exec 3<>/dev/tcp/localhost/4318 && cat ` + request + ` >&3 && read -r _ status _ <&3 && test "$status" = 200'`
	r := f.run(t)
	if r.codes["gpqa"] != 0 {
		t.Fatalf("the job ended with code %d\n%s", r.codes["gpqa"], r.log)
	}
	file, err := delivery.Load(filepath.Join(r.dir, "otel"))
	if err != nil {
		t.Fatal(err)
	}
	if file.Gym.RenameClashes == 0 || file.Gym.AuthorizationRemoved != 1 {
		t.Errorf("counted %+v", file.Gym)
	}
	if traces := readFile(t, filepath.Join(r.dir, "otel", "traces.jsonl")); strings.Contains(traces, secret) || !strings.Contains(traces, `"name":"s"`) {
		t.Errorf("traces.jsonl: %s", traces)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
