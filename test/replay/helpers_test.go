// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package replay_test replays jobs against the backend stand-in, with all that can go wrong with it.
package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/replay"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

const testToken = `t0ken "with" $quotes`

// bench is a job directory with a backend.
type bench struct {
	t       *testing.T
	job     replay.Job
	backend *ingest.Server
	names   map[string]bool // of the spans in traces.jsonl
	opt     replay.Options

	mu   sync.Mutex
	said bytes.Buffer
}

func newBench(t *testing.T) *bench {
	t.Helper()
	backend := ingest.Start(t, ingest.Options{Token: testToken})
	b := &bench{t: t, backend: backend, names: map[string]bool{}}
	b.job = replay.Job{Dir: filepath.Join(t.TempDir(), "run", "gpqa"), Endpoint: backend.URL, Token: testToken}
	if err := os.MkdirAll(b.otel(), 0o700); err != nil {
		t.Fatal(err)
	}
	b.opt = replay.Options{Backoff: time.Millisecond, Patience: 200 * time.Millisecond, Timeout: 5 * time.Second, Talk: b.talk}
	return b
}

func (b *bench) otel() string { return filepath.Join(b.job.Dir, "otel") }

func (b *bench) talk(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(&b.said, format+"\n", args...)
}

// write appends raw text to a file.
func (b *bench) write(signal otlpfile.Signal, text []byte) {
	b.t.Helper()
	f, err := os.OpenFile(filepath.Join(b.otel(), signal.FileName()), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		b.t.Fatal(err)
	}
}

// spans appends a line with spans of these names.
func (b *bench) spans(names ...string) (line []byte) {
	b.t.Helper()
	line = spanLine(b.t, 0, names...)
	for _, name := range names {
		b.names[name] = true
	}
	b.write(otlpfile.Traces, line)
	return line
}

func spanLine(t *testing.T, size int, names ...string) []byte {
	t.Helper()
	batch := ptrace.NewTraces()
	spans := batch.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for _, name := range names {
		span := spans.AppendEmpty()
		span.SetName(name)
		if size > 0 {
			span.Attributes().PutStr("padding", string(bytes.Repeat([]byte("x"), size)))
		}
	}
	line, err := otlpfile.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func numbered(prefix string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%s%04d", prefix, i))
	}
	return names
}

// others writes one point and one record.
func (b *bench) others() {
	b.t.Helper()
	metrics := pmetric.NewMetrics()
	m := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("m")
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	logs := plog.NewLogs()
	logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("a line")
	for signal, batch := range map[otlpfile.Signal]otlpfile.Batch{otlpfile.Metrics: metrics, otlpfile.Logs: logs} {
		line, err := otlpfile.Marshal(batch)
		if err != nil {
			b.t.Fatal(err)
		}
		b.write(signal, line)
	}
}

func (b *bench) run() *replay.Report { return b.runWith(b.t.Context()) }

// runWith replays and checks that delivery.json accounts for everything.
func (b *bench) runWith(ctx context.Context) *replay.Report {
	b.t.Helper()
	report := replay.Run(ctx, []replay.Job{b.job}, b.opt)
	for signal, counts := range b.record().Signals {
		if err := counts.Check(); err != nil {
			b.t.Errorf("%s: %v", signal, err)
		}
	}
	return report
}

func (b *bench) record() *delivery.File {
	b.t.Helper()
	file, err := delivery.Load(b.otel())
	if err != nil {
		b.t.Fatal(err)
	}
	return file
}

func (b *bench) traces() *delivery.Signal { b.t.Helper(); return b.record().Signals[otlpfile.Traces] }

// arrived counts how often each span is at the backend.
func (b *bench) arrived() map[string]int {
	found := map[string]int{}
	for _, batch := range b.backend.Traces() {
		for _, resource := range batch.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					found[span.Name()]++
				}
			}
		}
	}
	return found
}

// complete expects the backend to have exactly these spans, each so often or more.
func (b *bench) complete(names map[string]bool, times int) {
	b.t.Helper()
	got := b.arrived()
	for name := range names {
		if got[name] < times {
			b.t.Fatalf("%s arrived %d times, want %d; %d names of %d", name, got[name], times, len(got), len(names))
		}
	}
	for name := range got {
		if !names[name] {
			b.t.Errorf("%s arrived and should not", name)
		}
	}
}

// signal is the report of one signal.
func signalOf(t *testing.T, report *replay.Report, signal otlpfile.Signal) *replay.SignalReport {
	t.Helper()
	for _, s := range report.Jobs[0].Signals {
		if s.Signal == signal {
			return s
		}
	}
	t.Fatalf("nothing is said of %s: %+v", signal, report.Jobs[0])
	return nil
}
