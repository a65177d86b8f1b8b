// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

// lastResort is what the end of a job may take at the very most: requests in flight 2 s, the
// collector 30 s, a service 2 s, and some for a busy machine.
const lastResort = 45 * time.Second

// Neither an engine nor a backend that never answers holds the job, or changes its code.
func TestEngineAndBackendHang(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Engine["ENGINE_METRICS_HANG"] = "1"
	f.backend.SetFaults(ingest.Faults{Hang: true})
	f.Command = "code=0; driver --engine http://localhost:8000 --model tiny --duration 3s --otlp-http http://localhost:4318 --exit 7 || code=$?; date +%s.%N >driver-ended; exit $code"
	r := f.run(t)
	endedSoon(t, r)
	// What the driver sent is in the files, whatever became of the backend.
	for _, signal := range []string{"traces", "logs", "metrics"} {
		if content := strings.Join(lines(t, r, signal), "\n"); !strings.Contains(content, "my-driver") {
			t.Errorf("%s.jsonl has nothing of the driver", signal)
		}
	}
	f.at.idle(t)
}

// A collector that does not stop is killed, and a service too; the code stays the driver's.
func TestCollectorAndServiceThatDoNotStop(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Otel["binary"] = `"` + script(t, `trap '' TERM
case "$1" in components) printf 'processors:\n  - name: gym\n'; exit ;; esac
"`+programs+`/gym-otelcol" "$@" &
sleep 600 & wait; wait; wait`) + `"`
		bin := filepath.Dir(script(t, "exit 1"))
		rename(t, script(t, "trap '' TERM\n"+programs+`/vllm "$@" & wait; wait; sleep 600`), filepath.Join(bin, "vllm"))
		f.Env = []string{"PATH=" + bin + ":" + testPath()}
		f.Command = "code=0; driver --engine http://localhost:8000 --model tiny --duration 1s --exit 7 || code=$?; date +%s.%N >driver-ended; exit $code"
		r := f.run(t)
		endedSoon(t, r)
		if !strings.Contains(r.log, "did not stop within 30 s and is killed") {
			t.Errorf("the log does not tell of the collector:\n%s", r.log)
		}
		at.idle(t)
	})
}

func endedSoon(t *testing.T, r result) {
	t.Helper()
	if r.codes["gpqa"] != 7 {
		t.Errorf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
	}
	if took := logged(t, r.log, "ends with code").Sub(driverEnded(t, r)); took > lastResort {
		t.Errorf("the job ended %v after its driver:\n%s", took, r.log)
	}
}
