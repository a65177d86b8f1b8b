// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// kill ends the collector as a node's death does.
func (r *rig) kill(t *testing.T) {
	t.Helper()
	r.collector.Signal(t, syscall.SIGKILL)
	r.collector.Wait(t, 10*time.Second)
}

func TestFaultKilledAndStartedAgain(t *testing.T) {
	r := newRig(t)
	r.start(t)
	for range 10 {
		r.mustSend(t, 10)
	}
	r.awaitDelivered(t, 10*time.Second)
	r.f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	for range 10 {
		r.mustSend(t, 10)
	}
	r.kill(t)
	same(t, "traces.jsonl", r.inFile(t), r.answered)

	r.f.backend.SetFaults(ingest.Faults{})
	r.start(t)
	r.mustSend(t, 10)
	r.awaitDelivered(t, 20*time.Second)
	r.stop(t)
	delivered(t, r, 210)
	if file := r.record(t); file.Owner.Generation != 2 {
		t.Errorf("the owner is %+v, want the second one", file.Owner)
	}
}

func TestFaultRecordOfNoUse(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"missing": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"torn":    func(t *testing.T, path string) { must(t, os.Truncate(path, 100)) },
		"foreign": func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(`{"a":1}`), 0o600)) },
		"of another file": func(t *testing.T, path string) {
			file, err := delivery.Load(filepath.Dir(path))
			must(t, err)
			file.Signals[otlpfile.Traces].Position.LineCRC32C = "00000000"
			must(t, file.Save(filepath.Dir(path)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.start(t)
			for range 5 {
				r.mustSend(t, 10)
			}
			r.stop(t)
			delivered(t, r, 50)
			before := len(r.f.backend.RequestsOf(ingest.Traces))
			spoil(t, filepath.Join(r.dir, delivery.FileName))
			// A line was torn as well.
			f, err := os.OpenFile(filepath.Join(r.dir, "traces.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString(`{"resourceSpans":[{"scopeSp`)
			must(t, err)
			must(t, f.Close())

			r.start(t)
			r.mustSend(t, 10)
			wait.For(t, 20*time.Second, func() error {
				if n := len(r.f.backend.RequestsOf(ingest.Traces)); n < before+2 {
					return fmt.Errorf("%d requests, want all of the file again and the new line", n-before)
				}
				return nil
			})
			r.stop(t)
			same(t, "the backend", r.atBackend(), r.answered)
			same(t, "traces.jsonl", r.inFile(t, otlpfile.Damaged), r.answered)
			if got := r.traces(t); got.Accepted != 60 || got.Delivered != 60 {
				t.Errorf("traces: %+v, want 60 accepted and delivered", got)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A collector on a lost node wakes up and finds that another one goes on with its job.
func TestFaultSecondWriter(t *testing.T) {
	r := newRig(t)
	r.start(t)
	r.mustSend(t, 10)
	r.awaitDelivered(t, 10*time.Second)
	var file *delivery.File
	wait.For(t, 10*time.Second, func() error {
		file = r.record(t)
		if file.Signals[otlpfile.Traces].Delivered != 10 {
			return fmt.Errorf("delivery.json: %+v", file.Signals[otlpfile.Traces])
		}
		return nil
	})
	file.Owner = delivery.Owner{ID: "another", Generation: 7, Host: "othernode", JobID: "4711"}
	must(t, file.Save(r.dir))
	r.collector.Line(t, 10*time.Second, "another collector writes into the directory now")
	size := fileSize(t, filepath.Join(r.dir, "traces.jsonl"))
	requests := len(r.f.backend.RequestsOf(ingest.Traces))
	_ = r.send(10, "late-")
	if took := r.stop(t); took > 5*time.Second {
		t.Errorf("gone only after %v", took)
	}
	if got := r.record(t); got.Owner.ID != "another" || fileSize(t, filepath.Join(r.dir, "traces.jsonl")) != size ||
		len(r.f.backend.RequestsOf(ingest.Traces)) != requests {
		t.Errorf("the old collector still wrote or sent; the owner is %+v", got.Owner)
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Size()
}

func TestFaultManySpansAndStopAtOnce(t *testing.T) {
	r := newRig(t)
	r.start(t)
	var all sync.WaitGroup
	all.Go(func() {
		for r.next < 50_000 {
			if err := r.send(100, "span-"); err != nil {
				return // the collector has stopped
			}
		}
	})
	wait.For(t, 20*time.Second, func() error {
		if n := len(r.atBackend()); n < 5000 {
			return fmt.Errorf("%d spans", n)
		}
		return nil
	})
	r.stop(t)
	all.Wait()
	t.Logf("%d spans were answered", len(r.answered))
	if missing := without(r.answered, r.inFile(t)); missing > 0 {
		t.Errorf("traces.jsonl lacks %d spans that were answered", missing)
	}
	if missing := without(r.answered, r.atBackend()); missing > 0 {
		t.Errorf("the backend lacks %d spans that were answered", missing)
	}
	r.record(t)
}

// without counts what is in one set and not in the other.
func without(set, other map[string]bool) (n int) {
	for name := range set {
		if !other[name] {
			n++
		}
	}
	return n
}

// Everything hangs at the same time: an engine, the exporters, the backend, a client amid a request on each port. The
// engine that still answers has to be exact.
func TestFaultEverythingHangs(t *testing.T) {
	r := newRig(t)
	release := make(chan struct{})
	defer close(release)
	hanging := func() string {
		return portOf(httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release })))
	}
	r.f.Otel["gpu_metrics_port"], r.f.Otel["node_metrics_port"] = hanging(), hanging()
	var mu sync.Mutex
	counter := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		counter++
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		fmt.Fprintf(w, "# TYPE vllm:scrapes_total counter\nvllm:scrapes_total %d\n", counter)
	}))
	defer engine.Close()
	r.f.backend.SetFaults(ingest.Faults{Hang: true})
	r.start(t, "services.policy.port="+portOf(engine),
		"services.judge={type: vllm, container: null, model: Org/Judge, port: "+hanging()+"}")
	r.mustSend(t, 10)
	r.awaitTried(t)
	for _, half := range []struct{ port, text string }{
		{"4318", "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 1000\r\n\r\nhalf"},
		{"4317", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
		{"4317", ""},
	} {
		client, err := net.Dial("tcp", "localhost:"+half.port)
		must(t, err)
		t.Cleanup(func() { client.Close() })
		_, err = client.Write([]byte(half.text))
		must(t, err)
	}
	caller, err := grpc.NewClient("localhost:4317", grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	defer caller.Close()
	// A call of which the headers are sent and nothing else.
	_, err = caller.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, "/opentelemetry.proto.collector.trace.v1.TraceService/Export")
	must(t, err)
	mu.Lock()
	before := counter
	mu.Unlock()
	r.stop(t)
	mu.Lock()
	defer mu.Unlock()
	if counter <= before {
		t.Error("the engine was not scraped once more")
	}
	if last := lastValue(t, r, "vllm_scrapes_total"); last != float64(counter) {
		t.Errorf("the last value in the file is %v, the engine's %d", last, counter)
	}
	if got := r.traces(t); got.Undelivered != 10 {
		t.Errorf("traces: %+v", got)
	}
	if !r.record(t).Ended {
		t.Error("delivery.json has no last word")
	}
}

// Two collectors in one directory: the job was queued again while the node of the first one was thought lost. The first
// one stops by itself, and what either of them answered is delivered.
func TestFaultTwoCollectors(t *testing.T) {
	t.Parallel()
	for name, asleep := range map[string]bool{"the first one sleeps": true, "both are at work": false} {
		t.Run(name, func(t *testing.T) {
			first := newRigApart(t)
			first.start(t)
			for range 5 {
				first.mustSend(t, 10)
			}
			wait.For(t, 20*time.Second, func() error {
				if got := first.traces(t); got.Position.Delivered != 50 {
					return fmt.Errorf("delivery.json: %+v", got)
				}
				return nil
			})
			first.f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
			first.mustSend(t, 10)
			if asleep {
				first.collector.Signal(t, syscall.SIGSTOP)
			}
			second := first.beside()
			second.edit = smallCache // so that it also has to read back what lies between the lines of the first
			second.start(t)
			second.next, second.padding = 500_000, strings.Repeat("x", 1000)
			for range 60 {
				second.mustSend(t, 50)
				if !asleep {
					_ = first.send(10, "span-") // it may be told to stop at any moment
				}
			}
			first.collector.Signal(t, syscall.SIGCONT)
			first.collector.Line(t, 15*time.Second, "another collector writes into the directory now")
			if err := first.send(10, "late-"); err == nil {
				t.Error("the first one still takes data")
			}
			second.mustSend(t, 10)
			first.f.backend.SetFaults(ingest.Faults{})
			if took := first.stop(t); took > 5*time.Second {
				t.Errorf("the first one was gone only after %v", took)
			}
			second.awaitDelivered(t, 40*time.Second)
			second.stop(t)
			same(t, "the backend", second.atBackend(), second.answered)
			same(t, "traces.jsonl", second.inFile(t), second.answered)
			if got := second.traces(t); got.Delivered != int64(len(second.answered)) || got.Undelivered+got.Lost+got.Rejected != 0 {
				t.Errorf("traces: %+v, want %d delivered", got, len(second.answered))
			}
			// The position holds, so that a third one has nothing to send again.
			before := len(first.f.backend.RequestsOf(ingest.Traces))
			third := second.beside()
			third.start(t)
			third.mustSend(t, 1)
			third.awaitDelivered(t, 10*time.Second)
			third.stop(t)
			if sent := len(first.f.backend.RequestsOf(ingest.Traces)) - before; sent != 1 || strings.Contains(third.collector.Output(), "does not fit") {
				t.Errorf("the third one sent %d requests for one", sent)
			}
			if owner := third.record(t).Owner; owner.Generation != 3 {
				t.Errorf("the owner is %+v, want the third one", owner)
			}
		})
	}
}

// Producers that send ten times what the backend takes are not refused, and memory stays bounded. What is left at the
// end is settled by a replay.
func TestFaultProducersTenTimesFaster(t *testing.T) {
	const perSecond, most = 200, 300 // spans; MB
	r := newRigApart(t)
	r.padding = strings.Repeat("x", 2000)
	r.f.backend.SetFaults(ingest.Faults{ItemsPerSecond: perSecond})
	if !*long {
		r.edit = smallCache // fills up as soon as that of 64 MiB does in a minute
	}
	r.start(t)
	quit, peak := make(chan struct{}), make(chan int)
	go func() {
		high := 0
		for {
			high = max(high, proc.Memory(r.collector.PID(), "VmRSS:"))
			select {
			case <-time.After(100 * time.Millisecond):
			case <-quit:
				peak <- high
				return
			}
		}
	}()
	r.keepSending(t, perSecond, 100*time.Millisecond, lasting(5*time.Second, time.Minute))
	close(quit)
	high := float64(<-peak) / 1e3
	t.Logf("%d spans were answered, the backend has %d; at most %.0f MB were resident", len(r.answered), len(r.atBackend()), high)
	if high > most {
		t.Errorf("%.0f MB were resident, want at most %d", high, most)
	}
	if *measure {
		figure("producers ten times faster than the backend: resident memory, peak", "%.0f MB", high)
	}
	if sent, there := len(r.answered), len(r.atBackend()); sent < 5*there {
		t.Errorf("the producer sent %d, the backend has %d already: that is no tenfold", sent, there)
	}
	r.stop(t)
	if got := r.traces(t); got.Accepted != int64(len(r.answered)) || got.Lost+got.Rejected != 0 {
		t.Errorf("traces: %+v, want %d accepted and none lost", got, len(r.answered))
	}
	r.f.backend.SetFaults(ingest.Faults{})
	r.replay(t)
	same(t, "the backend", r.atBackend(), r.answered)
	same(t, "traces.jsonl", r.inFile(t), r.answered)
}

func portOf(server *httptest.Server) string {
	return server.URL[strings.LastIndexByte(server.URL, ':')+1:]
}

// lastValue is the last value of a counter in metrics.jsonl.
func lastValue(t *testing.T, r *rig, name string) (last float64) {
	t.Helper()
	for line := range strings.Lines(readFile(t, filepath.Join(r.dir, "metrics.jsonl"))) {
		batch, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics([]byte(strings.TrimSpace(line)))
		must(t, err)
		for _, resource := range batch.ResourceMetrics().All() {
			for _, scope := range resource.ScopeMetrics().All() {
				for _, m := range scope.Metrics().All() {
					// A target that stops long before its neighbours gets a marker without a value.
					if m.Name() != name {
						continue
					}
					if point := m.Sum().DataPoints().At(0); !point.Flags().NoRecordedValue() {
						last = point.DoubleValue()
					}
				}
			}
		}
	}
	return last
}
