// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

// checked are the findings of gym-submit check, by name.
func (f *fixture) checked(t *testing.T, wantCode int, args ...string) map[string][2]string {
	t.Helper()
	a := f.askWithToken(t, append([]string{"check", "--json", "-c", f.file(t)}, args...)...)
	if a.code != wantCode {
		t.Errorf("check ended with code %d, want %d\n%s%s", a.code, wantCode, a.stdout, a.stderr)
	}
	if strings.Contains(a.stdout+a.stderr, canary) {
		t.Error("check shows the token")
	}
	var list []struct{ Check, State, Says string }
	if err := json.Unmarshal([]byte(a.stdout), &list); err != nil {
		t.Fatalf("%v: %s", err, a.stdout)
	}
	found := map[string][2]string{}
	for _, one := range list {
		found[one.Check] = [2]string{one.State, one.Says}
	}
	return found
}

func wantFinding(t *testing.T, found map[string][2]string, check, state, says string) {
	t.Helper()
	if got := found[check]; got[0] != state || !strings.Contains(got[1], says) {
		t.Errorf("%s: %q, want %s: %s", check, got, state, says)
	}
}

// What check says is what the real Slurm, the real collector and the backend's stand-in say.
func TestCheck(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		strict := ingest.Start(t, ingest.Options{Token: token, Faults: ingest.Faults{NoTenant: true}})
		lax := f.backend
		f.Otel["endpoint"] = strict.URL
		found := f.checked(t, 0)
		for check, finding := range found {
			if finding[0] != "ok" && check != "account" { // the tests' Slurm keeps no accounts
				t.Errorf("%s: %v", check, finding)
			}
		}
		wantFinding(t, found, "collector", "ok", "with all components")
		wantFinding(t, found, "control: no tenant", "ok", "(status 401)")
		nothingStaged(t, f)

		f.Otel["endpoint"] = lax.URL
		found = f.checked(t, 0)
		wantFinding(t, found, "token", "ok", "is accepted")
		wantFinding(t, found, "control: bad token", "warning", "a 200 proves nothing here")
		wantFinding(t, found, "control: no tenant", "warning", "a 200 proves nothing here")

		// The trap itself: the proxy said 200 three times and has no data of the third.
		requests := lax.RequestsOf(ingest.Metrics)
		if len(requests) != 3 || requests[2].Count.DroppedItems != 1 || requests[0].Count.KeptItems != 1 {
			t.Errorf("the backend saw %d requests: %+v", len(requests), requests)
		}

		f.Otel["binary"] = filepath.Join(programs, "engine") // runs, and is no collector
		f.Otel["endpoint"] = "http://localhost:1"
		found = f.checked(t, 1, "job.output_path=/proc/runs")
		wantFinding(t, found, "collector", "failed", "")
		wantFinding(t, found, "endpoint", "failed", "cannot be reached")
		wantFinding(t, found, "output path", "failed", "/proc/runs cannot be written")
	})
}

// What Slurm alone knows.
func TestCheckAsksSlurm(t *testing.T) {
	f := newFixture(t, newSlurmSite(t))
	found := f.checked(t, 0)
	wantFinding(t, found, "partition", "ok", "partition batch is up")
	wantFinding(t, found, "request", "ok", "in partition batch")
	found = f.checked(t, 1, "compute.testcluster.node_pools.gpu.partition=nosuch")
	wantFinding(t, found, "partition", "failed", "there is no partition nosuch")
	wantFinding(t, found, "request", "failed", "nvalid partition")
	found = f.checked(t, 1, "compute.testcluster.node_pools.gpu.gpus_per_node=64")
	wantFinding(t, found, "request", "failed", "not available")
	if entries, _ := os.ReadDir(f.dir); len(entries) != 1 { // the submit file
		t.Errorf("check left something: %v", entries)
	}
}

// The file that init writes on a real cluster is one that its Slurm takes.
func TestInit(t *testing.T) {
	f := newFixture(t, newSlurmSite(t))
	file := filepath.Join(f.dir, "first.yaml")
	if a := f.ask(t, "init", file); a.code != 0 || !strings.Contains(a.stderr, "gym-submit check -c "+file) {
		t.Fatalf("init: %+v", a)
	}
	if text := readFile(t, file); !strings.Contains(text, "partition: batch # there are: batch\n") || !strings.Contains(text, "gpus_per_node: 1 # a node has 8\n") {
		t.Errorf("init did not find what there is:\n%s", text)
	}
	if a := f.ask(t, "check", "-c", file, "job.output_path="+filepath.Join(f.dir, "runs")); a.code != 0 || !strings.Contains(a.stdout, "Slurm would take the job") {
		t.Errorf("check: %+v", a)
	}
}
