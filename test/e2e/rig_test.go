// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// stopLimit is what the job script counts on after the signal.
const stopLimit = 25 * time.Second

// rig is the collector of a job without the job: the shipped program with the configuration that gym-submit
// renders, a backend, and a producer that knows what it was answered.
type rig struct {
	f         *fixture
	dir       string // otel
	config    string
	collector *proc.Process
	answered  map[string]bool // names of the spans that the collector took
	next      int
	padding   string              // an attribute of each span, to make it as large as wanted
	edit      func(string) string // of the configuration
	under     []string            // a program that runs the collector
	ports     ports
}

// ports of a collector.
type ports struct{ grpc, http, health int }

var standardPorts = ports{grpc: 4317, http: 4318, health: 13133}

// apart counts the rigs with ports of their own. In the network of the tests nothing else has ports in that range.
var apart atomic.Int32

func ownPorts() ports {
	first := 21000 + 3*int(apart.Add(1))
	return ports{grpc: first, http: first + 1, health: first + 2}
}

func newRig(t *testing.T) *rig {
	t.Helper()
	f := newFixture(t, &localSite{})
	r := &rig{
		f: f, dir: filepath.Join(f.dir, "gpqa", "otel"), answered: map[string]bool{},
		edit: func(s string) string { return s }, ports: standardPorts,
	}
	must(t, os.MkdirAll(r.dir, 0o700))
	return r
}

// newRigApart is for a test that mostly waits: its collector has ports of its own, and others run beside it.
func newRigApart(t *testing.T) *rig {
	t.Helper()
	t.Parallel()
	r := newRig(t)
	r.ports = ownPorts()
	return r
}

// beside is another rig in the directory of this one, as after a requeue.
func (r *rig) beside() *rig {
	other := *r
	other.ports = ownPorts()
	return &other
}

// url is an address of the collector.
func url(port int, path string) string { return fmt.Sprintf("http://localhost:%d%s", port, path) }

// start renders the configuration and starts the collector in the rig's directory.
func (r *rig) start(t *testing.T, args ...string) {
	t.Helper()
	r.launch(t, args...)
	r.collector.Serves(t, 30*time.Second, url(r.ports.health, "/"))
}

// launch is start without waiting.
func (r *rig) launch(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "gym-submit"), append([]string{"-c", r.f.file(t), "--resolve-only"}, args...)...)
	resolved, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	config, rendered, _ := strings.Cut(string(resolved), "\n---\n")
	must(t, os.WriteFile(filepath.Join(r.f.dir, "resolved-config.yaml"), []byte(config+"\n"), 0o600))
	_, directory, _ := strings.Cut(rendered, "\n    directory: ")
	directory, _, _ = strings.Cut(directory, "\n")
	rendered = r.edit(strings.ReplaceAll(rendered, directory, r.dir))
	for standard, own := range map[int]int{
		standardPorts.grpc: r.ports.grpc, standardPorts.http: r.ports.http, standardPorts.health: r.ports.health,
	} {
		rendered = strings.ReplaceAll(rendered, fmt.Sprintf("localhost:%d", standard), fmt.Sprintf("localhost:%d", own))
	}
	r.config = filepath.Join(r.f.dir, fmt.Sprintf("collector-%d.yaml", r.ports.health))
	must(t, os.WriteFile(r.config, []byte(rendered), 0o600))
	command := append(slices.Clone(r.under), filepath.Join(programs, "gym-otelcol"), "--config", r.config)
	collector := exec.Command(command[0], command[1:]...)
	collector.Env = append(testEnviron(), "OTEL_TOKEN="+strings.ReplaceAll(token, "$", "$$"), "SLURM_JOB_ID=4711")
	r.collector = proc.Start(t, collector)
}

// send posts n spans in one request and returns whether the collector took them.
func (r *rig) send(n int, prefix string) error {
	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	var names []string
	for range n {
		r.next++
		name := fmt.Sprintf("%s%06d", prefix, r.next)
		span := spans.AppendEmpty()
		span.SetName(name)
		if r.padding != "" {
			span.Attributes().PutStr("padding", r.padding)
		}
		names = append(names, name)
	}
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Post(url(r.ports.http, "/v1/traces"), "application/x-protobuf", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the collector answered %s", response.Status)
	}
	for _, name := range names {
		r.answered[name] = true
	}
	return nil
}

// mustSend is send for times when the collector has no reason to refuse.
func (r *rig) mustSend(t *testing.T, n int) {
	t.Helper()
	if err := r.send(n, "span-"); err != nil {
		t.Fatalf("a producer was refused: %v", err)
	}
}

// stop sends SIGTERM and returns how long the collector took to be gone.
func (r *rig) stop(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	r.collector.Signal(t, syscall.SIGTERM)
	r.collector.Wait(t, stopLimit+10*time.Second)
	took := time.Since(began)
	t.Logf("gone %v after SIGTERM", took.Round(10*time.Millisecond))
	if *measure {
		figure(strings.TrimPrefix(t.Name(), "TestFault")+": gone after SIGTERM", "%v", took.Round(10*time.Millisecond))
	}
	if took > stopLimit {
		t.Errorf("gone %v after SIGTERM, want at most %v", took, stopLimit)
	}
	return took
}

// record reads delivery.json, as soon as there is one, and checks that it accounts for everything.
func (r *rig) record(t *testing.T) *delivery.File {
	t.Helper()
	var file *delivery.File
	wait.For(t, 20*time.Second, func() (err error) {
		file, err = delivery.Load(r.dir)
		return err
	})
	for signal, counts := range file.Signals {
		if err := counts.Check(); err != nil {
			t.Errorf("%s: %v", signal, err)
		}
	}
	return file
}

func (r *rig) traces(t *testing.T) *delivery.Signal {
	t.Helper()
	return r.record(t).Signals[otlpfile.Traces]
}

// inFile are the names of the spans in traces.jsonl; every line has to be whole but those of the given kinds.
func (r *rig) inFile(t *testing.T, tolerated ...otlpfile.Kind) map[string]bool {
	t.Helper()
	f, err := os.Open(filepath.Join(r.dir, "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := map[string]bool{}
	reader := otlpfile.NewReader(f, otlpfile.Traces, 0)
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if line.Kind != otlpfile.Good {
			if !slices.Contains(tolerated, line.Kind) {
				t.Errorf("line %d of traces.jsonl is %v: %s", line.Number, line.Kind, line.Reason)
			}
			continue
		}
		namesOf(line.Batch.(ptrace.Traces), names)
	}
}

// atBackend are the names of the spans that the backend has.
func (r *rig) atBackend() map[string]bool {
	names := map[string]bool{}
	for _, batch := range r.f.backend.Traces() {
		namesOf(batch, names)
	}
	return names
}

func namesOf(batch ptrace.Traces, into map[string]bool) {
	for _, resource := range batch.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				into[span.Name()] = true
			}
		}
	}
}

// same compares two sets of spans.
func same(t *testing.T, what string, got, want map[string]bool) {
	t.Helper()
	missing, extra := 0, 0
	for name := range want {
		if !got[name] {
			missing++
		}
	}
	for name := range got {
		if !want[name] {
			extra++
		}
	}
	if missing+extra > 0 {
		t.Errorf("%s has %d spans: %d of %d are missing, %d are too many", what, len(got), missing, len(want), extra)
	}
}

// awaitDelivered waits until the backend has everything that was answered.
func (r *rig) awaitDelivered(t *testing.T, timeout time.Duration) {
	t.Helper()
	wait.For(t, timeout, func() error {
		got := r.atBackend()
		for name := range r.answered {
			if !got[name] {
				return fmt.Errorf("the backend has %d of %d spans", len(got), len(r.answered))
			}
		}
		return nil
	})
}

// awaitTried waits until the backend was asked about traces.
func (r *rig) awaitTried(t *testing.T) {
	t.Helper()
	wait.For(t, 20*time.Second, func() error {
		if len(r.f.backend.RequestsOf(ingest.Traces)) == 0 {
			return errors.New("no request for traces reached the backend")
		}
		return nil
	})
}

// replay sends the rest with gym-submit, and expects the backend to have all of the files afterwards.
func (r *rig) replay(t *testing.T) {
	t.Helper()
	began, held := time.Now(), len(r.f.backend.Requests())
	command := "gym-submit replay --endpoint " + r.f.backend.URL + " " + filepath.Dir(r.dir)
	code, stdout, stderr := r.f.shell(t, command, "OTEL_TOKEN="+token)
	t.Logf("replayed with %d requests in %v", len(r.f.backend.Requests())-held, time.Since(began).Round(time.Millisecond))
	if code != 0 {
		t.Errorf("the replay ended with code %d\n%s%s", code, stdout, stderr)
	}
	for signal, counts := range r.record(t).Signals {
		same(t, string(signal)+" at the backend", itemsAtBackend(t, r.f, signal), itemsInFile(t, filepath.Dir(r.dir), signal))
		if counts.Undelivered != 0 {
			t.Errorf("%s after the replay: %+v", signal, counts)
		}
	}
}

var long = flag.Bool("long", false, "let the faults last as long as docs/faults.md says (make faults)")

// lasting is how long a fault lasts: with -long as long as wanted, else long enough to be one.
func lasting(short, wanted time.Duration) time.Duration {
	if *long {
		return wanted
	}
	return short
}

// keepSending is a producer at work for that time: each time n spans, none of them refused.
func (r *rig) keepSending(t *testing.T, n int, every, d time.Duration) {
	t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); <-tick.C {
		r.mustSend(t, n)
	}
}
