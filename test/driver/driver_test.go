// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/gym-otelcol/gym-otelcol/test/internal/engine"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

const soon = 20 * time.Second

func startEngine(t *testing.T, o engine.Options) string {
	t.Helper()
	o.Model = "m"
	server := httptest.NewServer(engine.New(o).Handler())
	t.Cleanup(server.CloseClientConnections)
	return server.URL
}

// asDriver in the environment makes the test binary be the driver, which saves building
// one.
const asDriver = "TEST_AS_DRIVER"

func TestMain(m *testing.M) {
	if os.Getenv(asDriver) != "" {
		main()
	}
	os.Exit(m.Run())
}

func start(t *testing.T, args ...string) *proc.Process {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asDriver+"=1")
	return proc.Start(t, cmd)
}

func reportOf(t *testing.T, p *proc.Process) (r report) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.Line(t, soon, `"load"`)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRequestsAndExitCode(t *testing.T) {
	url := startEngine(t, engine.Options{Tokens: 5})
	p := start(t, "--engine", url+"/v1", "--model", "m", "--requests", "20", "--concurrency", "3", "--exit", "7")
	if code := p.Wait(t, soon); code != 7 {
		t.Errorf("exit code %d", code)
	}
	if got := reportOf(t, p); got.Load != (tally{Sent: 20, OK: 20, Tokens: 100}) || got.Exit != 7 {
		t.Errorf("%+v", got)
	}
}

func TestDuration(t *testing.T) {
	const duration = 300 * time.Millisecond
	url := startEngine(t, engine.Options{Latency: 10 * time.Millisecond})
	p := start(t, "--engine", url, "--model", "m", "--duration", duration.String())
	if code := p.Wait(t, soon); code != 0 {
		t.Errorf("exit code %d", code)
	}
	r := reportOf(t, p)
	if took := r.End.Sub(r.Begin); took < duration || r.Load.OK == 0 || r.Load.Failed > 0 {
		t.Errorf("took %v: %+v", took, r.Load)
	}
}

func TestUntil(t *testing.T) {
	file := filepath.Join(t.TempDir(), "enough")
	p := start(t, "--until", file)
	p.Line(t, soon, "running")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.Wait(t, soon); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestFailedRequestsAreCounted(t *testing.T) {
	url := startEngine(t, engine.Options{})
	p := start(t, "--engine", url, "--model", "other", "--requests", "2")
	p.Wait(t, soon)
	if got := reportOf(t, p); got.Load != (tally{Sent: 2, Failed: 2}) {
		t.Errorf("%+v", got)
	}
}

// running waits until the engine has a request in flight.
func running(t *testing.T, url string) {
	t.Helper()
	wait.For(t, soon, func() error {
		response, err := http.Get(url + "/metrics")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var page strings.Builder
		if err := response.Write(&page); err != nil {
			return err
		}
		if !strings.Contains(page.String(), `vllm:num_requests_running{engine="0",model_name="m"} 1.0`) {
			return fmt.Errorf("nothing in flight")
		}
		return nil
	})
}

func TestTerm(t *testing.T) {
	backend := ingest.Start(t, ingest.Options{})
	url := startEngine(t, engine.Options{Latency: time.Hour})
	p := start(t, "--engine", url, "--model", "m", "--duration", "1h", "--exit", "7", "--otlp-http", backend.URL)
	running(t, url)
	if code := p.Stop(t, soon); code != 143 {
		t.Errorf("exit code %d", code)
	}
	if len(backend.RequestsOf(ingest.Traces)) == 0 {
		t.Error("telemetry was not flushed")
	}
}

func TestIgnoresTermAndLeavesRequests(t *testing.T) {
	file := filepath.Join(t.TempDir(), "enough")
	url := startEngine(t, engine.Options{Latency: time.Hour})
	p := start(t, "--engine", url, "--model", "m", "--until", file, "--ignore-term", "--hang-requests", "--exit", "3")
	running(t, url)
	p.Signal(t, syscall.SIGTERM)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.Wait(t, soon); code != 3 {
		t.Errorf("exit code %d", code)
	}
	if got := reportOf(t, p); got.Load != (tally{Sent: 1}) {
		t.Errorf("%+v", got)
	}
}

func TestTelemetryByHTTP(t *testing.T) {
	backend := ingest.Start(t, ingest.Options{})
	url := startEngine(t, engine.Options{})
	start(t, "--engine", url, "--model", "m", "--requests", "3", "--otlp-http", backend.URL+"/").Wait(t, soon)
	for signal, want := range map[ingest.Signal]string{
		ingest.Traces:  `"name":"my-driver.http.run"`,
		ingest.Logs:    `"stringValue":"my-driver.http: end"`,
		ingest.Metrics: `"asInt":"3"`,
	} {
		got := backend.RequestsOf(signal)
		if len(got) == 0 {
			t.Errorf("no %s", signal)
			continue
		}
		text := string(got[len(got)-1].Payload)
		if !strings.Contains(text, want) || !strings.Contains(text, `{"key":"service.name","value":{"stringValue":"my-driver"}}`) {
			t.Errorf("%s: no %s in %s", signal, want, text)
		}
	}
}

// counts are the items that came by gRPC, and the names of their services.
type counts struct {
	ptraceotlp.UnimplementedGRPCServer

	spans, records, points int
	service                string
}

type logsServer struct {
	plogotlp.UnimplementedGRPCServer
	*counts
}

type metricsServer struct {
	pmetricotlp.UnimplementedGRPCServer
	*counts
}

func (c *counts) Export(_ context.Context, r ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	c.spans += r.Traces().SpanCount()
	for _, resource := range r.Traces().ResourceSpans().All() {
		if name, ok := resource.Resource().Attributes().Get("service.name"); ok {
			c.service = name.Str()
		}
	}
	return ptraceotlp.NewExportResponse(), nil
}

func (s *logsServer) Export(_ context.Context, r plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	s.records += r.Logs().LogRecordCount()
	return plogotlp.NewExportResponse(), nil
}

func (s *metricsServer) Export(_ context.Context, r pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	s.points += r.Metrics().DataPointCount()
	return pmetricotlp.NewExportResponse(), nil
}

func TestTelemetryByGRPC(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, got := grpc.NewServer(), &counts{}
	ptraceotlp.RegisterGRPCServer(server, got)
	plogotlp.RegisterGRPCServer(server, &logsServer{counts: got})
	pmetricotlp.RegisterGRPCServer(server, &metricsServer{counts: got})
	go func() { _ = server.Serve(listener) }()

	p := start(t, "--otlp-grpc", listener.Addr().String(), "--service-name", "")
	if code := p.Wait(t, soon); code != 0 {
		t.Errorf("exit code %d", code)
	}
	server.Stop() // the counts are at rest from here on
	if got.spans != 1 || got.records != 2 || got.points != 1 || got.service != "" {
		t.Errorf("%+v", got)
	}
}

func TestDeadCollectorChangesNothing(t *testing.T) {
	port := proc.FreePort(t)
	p := start(t, "--otlp-http", fmt.Sprintf("http://127.0.0.1:%d", port), "--exit", "4")
	if code := p.Wait(t, soon); code != 4 {
		t.Errorf("exit code %d", code)
	}
}

func TestScan(t *testing.T) {
	dir := t.TempDir()
	needle, found, enough := filepath.Join(dir, "needle"), filepath.Join(dir, "found"), filepath.Join(dir, "enough")
	// Another run of this test may be on its way.
	secret := fmt.Sprintf("s3cr3t-canary-%d", os.Getpid())
	if err := os.WriteFile(needle, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	inEnv := exec.Command("sleep", "1000")
	inEnv.Env = []string{"WANTED=a " + secret + " b"}
	environ := proc.Start(t, inEnv)
	cmdline := proc.Start(t, exec.Command("sh", "-c", "sleep 1000; : "+secret))

	p := start(t, "--until", enough, "--scan-proc", found, "--needle-file", needle)
	hits := func() []string { return readLines(t, found) }
	wait.For(t, soon, func() error {
		if got := hits(); len(got) != 2 {
			return fmt.Errorf("hits: %q", got)
		}
		return nil
	})
	if err := os.WriteFile(enough, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Wait(t, soon)
	text := strings.Join(hits(), "\n")
	for _, want := range []string{
		strconv.Itoa(environ.PID()) + " sleep environ",
		strconv.Itoa(cmdline.PID()) + " sh cmdline",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if got := reportOf(t, p).Scan; got.Hits != 2 || got.Rounds == 0 || got.Read == 0 {
		t.Errorf("%+v", got)
	}
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		return nil // not written yet
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestScanForVariable(t *testing.T) {
	s := &scan{prefix: []byte("TOKEN=")}
	for text, want := range map[string]bool{
		"A=1\x00TOKEN=x\x00":     true,
		"TOKEN=\x00":             true,
		"NAMES=TOKEN=x\x00":      false,
		"MY_TOKEN=x\x00B=TOKEN=": false,
	} {
		if got := s.holds([]byte(text), "environ"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if s.holds([]byte("TOKEN=x"), "cmdline") {
		t.Error("a variable was found in a command line")
	}
}

func TestScanRefusesToFindEverything(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []options{{scanProc: "f"}, {scanProc: "f", needleFile: empty}, {scanProc: "f", needleFile: "nowhere"}} {
		if _, err := startScan(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}
