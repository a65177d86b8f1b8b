// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/gym-otelcol/gym-otelcol/test/internal/engine"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/series"
)

// chattyDriver sends requests to the engine, and spans, logs and metrics to both OTLP ports.
// It notes when it ended.
const chattyDriver = `code=0
driver --engine http://localhost:8000 --model tiny --duration 3s --concurrency 4 --exit 7 \
  --otlp-grpc localhost:4317 --otlp-http http://localhost:4318 || code=$?
date +%s.%N >driver-ended
exit $code`

const dcgmCapture = "../../components/gymprocessor/testdata/dcgm-exporter-gb200-4gpu.prom"

func TestMainJob(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Command = chattyDriver
		f.Otel["gpu_metrics_port"] = replay(t, dcgmCapture)
		f.Otel["node_metrics_port"] = nodeExporter(t)
		r := f.run(t)

		t.Run("the exit code is the driver's", func(t *testing.T) {
			if r.codes["gpqa"] != 7 {
				t.Errorf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
			}
		})
		t.Run("nothing is left", at.idle)
		t.Run("every family is exported", func(t *testing.T) { everyFamilyExported(t, f, r) })
		t.Run("the final counters are exact", func(t *testing.T) { finalCountersExact(t, f, r) })
		t.Run("every resource has the identity", func(t *testing.T) { identityComplete(t, f, r) })
		t.Run("all signals arrive on both ports", func(t *testing.T) { producersKept(t, f, r) })
		t.Run("every request has the tenant", func(t *testing.T) { tenantEverywhere(t, f) })
		t.Run("the log ends with what was exported", func(t *testing.T) {
			for _, want := range []string{"exported: metrics ", "; traces ", "; logs ", "the backend has all of it", "ends with code 7"} {
				if !strings.Contains(r.log, want) {
					t.Errorf("the job's log lacks %q:\n%s", want, r.log)
				}
			}
		})
	})
}

func TestFinalCountersOfAKilledDriver(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		f.Engine["ENGINE_LATENCY"] = "500ms"
		// The driver dies with requests in flight; the engine notices only later.
		f.Command = `driver --engine http://localhost:8000 --model tiny --duration 60s --concurrency 4 &
sleep 2
kill -KILL $!
date +%s.%N >driver-ended
wait $!`
		r := f.run(t)
		if r.codes["gpqa"] != 137 {
			t.Errorf("exit code %d, want 137 (KILL)", r.codes["gpqa"])
		}
		finalCountersExact(t, f, r)
		at.idle(t)
	})
}

// ofEngine accepts the resources of the scraped engine.
func ofEngine(attributes pcommon.Map) bool { return producer(attributes) == "gym-vllm/policy" }

func producer(attributes pcommon.Map) string {
	name, _ := attributes.Get("service.name.override")
	return name.Str()
}

// exportedTwice reads what one producer exported, from the file and from the backend.
func exportedTwice(t *testing.T, f *fixture, r result, wanted func(pcommon.Map) bool) map[string]series.Exported {
	t.Helper()
	return map[string]series.Exported{
		"metrics.jsonl": series.FromOTLP(metricsFile(t, r), wanted),
		"backend":       series.FromOTLP(f.backend.Metrics(), wanted),
	}
}

func metricsFile(t *testing.T, r result) []pmetric.Metrics {
	t.Helper()
	var batches []pmetric.Metrics
	for _, line := range lines(t, r, "metrics") {
		batch, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics([]byte(line))
		if err != nil {
			t.Fatalf("metrics.jsonl: %v", err)
		}
		batches = append(batches, batch)
	}
	return batches
}

// lines are the batches of one signal's file; the last one has to be whole.
func lines(t *testing.T, r result, signal string) []string {
	t.Helper()
	content := readFile(t, filepath.Join(r.dir, "otel", signal+".jsonl"))
	if content != "" && !strings.HasSuffix(content, "\n") {
		t.Errorf("%s.jsonl ends within a line", signal)
	}
	return strings.Split(strings.TrimSuffix(content, "\n"), "\n")
}

func renamed(family string) string { return strings.Replace(family, "vllm:", "vllm_", 1) }

func lastPage(t *testing.T, f *fixture) engine.Page {
	t.Helper()
	pages, err := engine.ReadPages(f.pages)
	if err != nil || len(pages) == 0 {
		t.Fatalf("the engine logged no page: %v", err)
	}
	return pages[len(pages)-1]
}

func everyFamilyExported(t *testing.T, f *fixture, r result) {
	_, declared, err := series.FromPage(lastPage(t, f).Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(declared) < 40 {
		t.Fatalf("the engine's page has only %d families", len(declared))
	}
	for where, exported := range exportedTwice(t, f, r, ofEngine) {
		for family, kind := range declared {
			if got := exported.Types[renamed(family)]; got != kind {
				t.Errorf("%s: %s is %q, the page declares %s a %s", where, renamed(family), got, family, kind)
			}
		}
	}
	capture, declared, err := series.FromPage(readFile(t, dcgmCapture))
	if err != nil {
		t.Fatal(err)
	}
	ofDCGM := func(attributes pcommon.Map) bool { return producer(attributes) == "dcgm" }
	for where, exported := range exportedTwice(t, f, r, ofDCGM) {
		for family, kind := range declared {
			if got := exported.Types[family]; got != kind {
				t.Errorf("%s: %s is %q, the page declares a %s", where, family, got, kind)
			}
		}
		for key, value := range capture {
			if got, ok := exported.Set[key]; !ok || got != value {
				t.Errorf("%s: %s is %v (exported: %t), the page says %v", where, key, got, ok, value)
			}
		}
	}
	for _, source := range []string{"dcgm", "node"} {
		from := func(attributes pcommon.Map) bool { return producer(attributes) == source }
		for where, exported := range exportedTwice(t, f, r, from) {
			if exported.Set[series.Key("up", nil)] != 1 || len(exported.Types) < 15 {
				t.Errorf("%s: %s exported %d families, up %v", where, source, len(exported.Types), exported.Set[series.Key("up", nil)])
			}
		}
	}
}

// finalCountersExact compares the last exported value of every series with the page that
// the engine served to the last scrape, which has to begin after the driver's end.
func finalCountersExact(t *testing.T, f *fixture, r result) {
	page := lastPage(t, f)
	if ended := driverEnded(t, r); page.Begin.Before(ended) {
		t.Errorf("the last scrape began at %v, before the driver ended at %v", page.Begin, ended)
	}
	served, _, err := series.FromPage(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	done := served[series.Key("vllm:request_success_total", series.Labels{"engine": "0", "finished_reason": "stop", "model_name": "tiny"})] +
		served[series.Key("vllm:request_success_total", series.Labels{"engine": "0", "finished_reason": "abort", "model_name": "tiny"})] +
		served[series.Key("vllm:request_success_total", series.Labels{"engine": "0", "finished_reason": "length", "model_name": "tiny"})]
	if done == 0 {
		t.Errorf("the engine served no request:\n%s", page.Body)
	}
	for where, exported := range exportedTwice(t, f, r, ofEngine) {
		for key, value := range served {
			if got, ok := exported.Set[renamed(key)]; !ok || got != value {
				t.Errorf("%s: the last value of %s is %v (exported: %t), the page says %v", where, renamed(key), got, ok, value)
			}
		}
	}
}

// driverEnded is when the driver ended, as it noted itself.
func driverEnded(t *testing.T, r result) time.Time {
	t.Helper()
	seconds, err := strconv.ParseFloat(strings.TrimSpace(readFile(t, filepath.Join(r.dir, "driver-ended"))), 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(0, int64(seconds*1e9))
}

func identityComplete(t *testing.T, f *fixture, r result) {
	want := map[string]string{
		"user": currentUser(t), "run_id": filepath.Base(filepath.Dir(r.dir)), "slurm_job_id": r.job,
		"benchmark": "gpqa", "cluster": "testcluster", "model": "tiny", "service.name": "gym-eval-service",
		"host.name": hostName(t),
	}
	batches := map[string][]string{}
	for _, signal := range []string{"metrics", "traces", "logs"} {
		batches[signal+".jsonl"] = lines(t, r, signal)
	}
	for _, request := range f.backend.Requests() {
		batches["backend, "+string(request.Signal)] = append(batches["backend, "+string(request.Signal)], string(request.Payload))
	}
	if len(batches) != 6 {
		t.Fatalf("want three files and three signals at the backend, got %v", slices.Collect(maps.Keys(batches)))
	}
	for where, all := range batches {
		for _, batch := range all {
			for _, res := range resources(t, batch) {
				checkIdentity(t, where, res, want, r.job+"/"+hostName(t)+"/")
			}
		}
	}
}

func checkIdentity(t *testing.T, where string, res resource, want map[string]string, instancePrefix string) {
	t.Helper()
	got := map[string]string{}
	for _, a := range res.Attributes {
		if text, ok := a.Value["stringValue"].(string); ok {
			got[a.Key] = text
		}
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s: resource attribute %s is %q, want the string %q", where, key, got[key], value)
		}
	}
	if got["service.name.override"] == "" {
		t.Errorf("%s: a resource has no service.name.override: %v", where, got)
	}
	if !strings.HasPrefix(got["service.instance.id"], instancePrefix) {
		t.Errorf("%s: service.instance.id %q does not begin with %q", where, got["service.instance.id"], instancePrefix)
	}
}

// producersKept looks for what the driver sent, in files and backend.
func producersKept(t *testing.T, f *fixture, r result) {
	for signal, kept := range map[string]string{"metrics": "my-driver", "traces": "my-driver", "logs": "my-driver"} {
		if content := strings.Join(lines(t, r, signal), "\n"); !strings.Contains(content, fmt.Sprintf(`{"key":"service.name.override","value":{"stringValue":%q}}`, kept)) {
			t.Errorf("%s.jsonl has nothing of %s", signal, kept)
		}
	}
	for _, signal := range []ingest.Signal{ingest.Metrics, ingest.Traces, ingest.Logs} {
		var payloads strings.Builder
		for _, request := range f.backend.RequestsOf(signal) {
			payloads.Write(request.Payload)
		}
		for _, protocol := range []string{"grpc", "http"} {
			if !strings.Contains(payloads.String(), "my-driver."+protocol) {
				t.Errorf("%s sent over %s did not reach the backend", signal, protocol)
			}
		}
	}
}

func tenantEverywhere(t *testing.T, f *fixture) {
	requests := f.backend.Requests()
	if len(requests) == 0 {
		t.Fatal("no request reached the backend")
	}
	for _, request := range requests {
		if got := request.Authorization(); got != "Bearer "+token {
			t.Fatalf("a %s request has the header Authorization %q", request.Signal, got)
		}
		for _, res := range resources(t, string(request.Payload)) {
			var tenant any
			for _, a := range res.Attributes {
				if a.Key == "Authorization" {
					tenant = a.Value["stringValue"]
				}
			}
			if tenant != token {
				t.Fatalf("a %s resource has the attribute Authorization %q", request.Signal, tenant)
			}
		}
	}
	if dropped := f.backend.Dropped(); dropped != 0 {
		t.Errorf("the proxy dropped %d items", dropped)
	}
}
