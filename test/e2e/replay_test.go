// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	resend "github.com/gym-otelcol/gym-otelcol/internal/replay"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// A backend that is away for the whole run: the command in the job's log brings everything afterwards.
func TestReplayAfterABackendThatWasAway(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Command = chattyDriver
	f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	r := f.run(t)
	if r.codes["gpqa"] != 7 {
		t.Errorf("exit code %d, want the driver's 7", r.codes["gpqa"])
	}
	found := regexp.MustCompile(`send the rest with: (gym-submit replay .*)`).FindStringSubmatch(r.log)
	if found == nil {
		t.Fatalf("the job's log names no command:\n%s", r.log)
	}
	command := found[1]
	if code, _, stderr := f.shell(t, command, "OTEL_TOKEN="); code != 2 || !strings.Contains(stderr, "OTEL_TOKEN") {
		t.Errorf("without a token: code %d, %s", code, stderr)
	}

	interruptReplay(t, f, command)
	f.backend.SetFaults(ingest.Faults{})
	code, stdout, stderr := f.shell(t, command, "OTEL_TOKEN="+token)
	if code != 0 {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	for _, signal := range otlpfile.Signals {
		want, got := itemsInFile(t, r.dir, signal), itemsAtBackend(t, f, signal)
		if len(want) == 0 {
			t.Errorf("%s.jsonl is empty", signal)
		}
		same(t, string(signal)+" at the backend", got, want)
	}
	tenantEverywhere(t, f)
	file, err := delivery.Load(filepath.Join(r.dir, "otel"))
	if err != nil || !file.Ended {
		t.Fatalf("%+v, %v", file, err)
	}
	for signal, counts := range file.Signals {
		if counts.Check() != nil || counts.Accepted == 0 || counts.Delivered != counts.Accepted || counts.Position.Delivered != counts.Delivered {
			t.Errorf("%s: %+v, want all of it delivered", signal, counts)
		}
	}
	if text := stdout + stderr + readFile(t, filepath.Join(r.dir, "otel", "delivery.json")); strings.Contains(text, canary) {
		t.Error("the token is in the output or in delivery.json")
	}
	// There is nothing left, so nothing is sent.
	before := len(f.backend.Requests())
	if code, _, _ := f.shell(t, command, "OTEL_TOKEN="+token); code != 0 || len(f.backend.Requests()) != before {
		t.Errorf("once more: code %d, %d requests", code, len(f.backend.Requests())-before)
	}
}

// interruptReplay presses Ctrl-C while the backend hangs.
func interruptReplay(t *testing.T, f *fixture, command string) {
	t.Helper()
	f.backend.SetFaults(ingest.Faults{Hang: true})
	before := len(f.backend.Requests())
	cmd := f.shellCommand("exec "+command, "OTEL_TOKEN="+token)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second) // a hanging request is seen only when it ends
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
	wait.For(t, 10*time.Second, func() error {
		if len(f.backend.Requests()) == before {
			return errors.New("no request reached the backend")
		}
		return nil
	})
}

// While the job's collector runs, its files are its own.
func TestReplayDuringTheJob(t *testing.T) {
	f := newFixture(t, &localSite{})
	f.Command = "sleep 60"
	s := f.start(t)
	var dir string
	wait.For(t, 40*time.Second, func() error {
		found, _ := filepath.Glob(filepath.Join(f.dir, "runs", "gym-job-*", "gpqa", "otel", "delivery.json"))
		if len(found) == 0 {
			return errors.New("there is no delivery.json")
		}
		dir = filepath.Dir(filepath.Dir(found[0]))
		return nil
	})
	code, _, stderr := f.shell(t, "gym-submit replay "+dir, "OTEL_TOKEN="+token)
	if code != 1 || !strings.Contains(stderr, "still at work") {
		t.Errorf("code %d, %s", code, stderr)
	}
	f.at.stop(t, s, syscall.SIGINT)
	f.finish(t, s)
	file, err := delivery.Load(filepath.Join(dir, "otel"))
	if err != nil || file.Owner.JobID == "replay" || !file.Ended {
		t.Errorf("%+v, %v", file, err)
	}
}

// A job that is queued again after a replay goes on from where the replay came to.
func TestReplayThenRequeue(t *testing.T) {
	r := newRig(t)
	r.f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	r.start(t)
	for range 5 {
		r.mustSend(t, 10)
	}
	r.stop(t)
	r.f.backend.SetFaults(ingest.Faults{})
	job := resend.Job{Dir: filepath.Dir(r.dir), Endpoint: r.f.backend.URL, Token: token}
	if report := resend.Run(t.Context(), []resend.Job{job}, resend.Options{}); !report.Settled() {
		t.Fatalf("%+v", report.Jobs[0])
	}
	if got := r.traces(t); got.Delivered != 50 {
		t.Fatalf("%+v, want all of it delivered", got)
	}
	r.start(t)
	r.mustSend(t, 10)
	r.awaitDelivered(t, 10*time.Second)
	r.stop(t)
	delivered(t, r, 60)
	count := 0
	for _, batch := range r.f.backend.Traces() {
		count += batch.SpanCount()
	}
	if count != 60 {
		t.Errorf("the backend got %d spans, want each of 60 once", count)
	}
}

func (f *fixture) shellCommand(command string, env ...string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(append(testEnviron(), "XDG_STATE_HOME="+filepath.Join(f.dir, "state")), env...)
	return cmd
}

// shell runs a command with the test programs on its path.
func (f *fixture) shell(t *testing.T, command string, env ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := f.shellCommand(command, env...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), out.String(), talk.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String(), talk.String()
}

// itemsInFile are the points, spans or records in a job's file, each as a line of its own.
func itemsInFile(t *testing.T, dir string, signal otlpfile.Signal) map[string]bool {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "otel", signal.FileName()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	items := map[string]bool{}
	reader := otlpfile.NewReader(f, signal, 0)
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return items
		}
		if err != nil || line.Kind != otlpfile.Good {
			t.Fatalf("%+v, %v", line, err)
		}
		addItems(t, items, line.Batch)
	}
}

// itemsAtBackend are those that the backend took, without the token.
func itemsAtBackend(t *testing.T, f *fixture, signal otlpfile.Signal) map[string]bool {
	t.Helper()
	items := map[string]bool{}
	anonymous := func(r pcommon.Resource) { r.Attributes().Remove("Authorization") }
	switch signal {
	case otlpfile.Metrics:
		for _, batch := range f.backend.Metrics() {
			for _, r := range batch.ResourceMetrics().All() {
				anonymous(r.Resource())
			}
			addItems(t, items, batch)
		}
	case otlpfile.Traces:
		for _, batch := range f.backend.Traces() {
			for _, r := range batch.ResourceSpans().All() {
				anonymous(r.Resource())
			}
			addItems(t, items, batch)
		}
	case otlpfile.Logs:
		for _, batch := range f.backend.Logs() {
			for _, r := range batch.ResourceLogs().All() {
				anonymous(r.Resource())
			}
			addItems(t, items, batch)
		}
	}
	return items
}

// addItems takes a batch apart.
func addItems(t *testing.T, into map[string]bool, batch otlpfile.Batch) {
	t.Helper()
	if otlpfile.Items(batch) > 1 {
		first, second := otlpfile.Halves(batch)
		addItems(t, into, first)
		addItems(t, into, second)
		return
	}
	line, err := otlpfile.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	into[string(line)] = true
}
