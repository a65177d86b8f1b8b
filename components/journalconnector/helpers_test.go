// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/components/internal/answer"
	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// fakeBackend stands behind the next pipeline.
type fakeBackend struct {
	mu       sync.Mutex
	status   int // 200 takes it
	rejected int64
	retry    time.Duration
	poison   string // refused with 400
	maxItems int    // more are refused with 413
	expired  int    // so many attempts come with a token that was renewed meanwhile
	hang     bool
	got      map[string]int // spans, how often
	calls    int
}

func newFakeBackend() *fakeBackend { return &fakeBackend{status: 200, got: map[string]int{}} }

func (b *fakeBackend) set(change func(*fakeBackend)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(b)
}

func (b *fakeBackend) push(ctx context.Context, batch otlpfile.Batch) error {
	b.mu.Lock()
	hang := b.hang
	b.mu.Unlock()
	if hang {
		<-ctx.Done()
		return ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	names := spanNames(batch)
	status := b.status
	if b.expired > 0 {
		b.expired--
		status = 401
		answer.From(ctx).Renewed = true
	}
	if b.poison != "" && strings.Contains(strings.Join(names, " "), b.poison) {
		status = 400
	}
	if b.maxItems > 0 && len(names) > b.maxItems {
		status = 413
	}
	// What the next pipeline does to a batch must not be seen again.
	batch.(ptrace.Traces).ResourceSpans().At(0).Resource().Attributes().PutStr("Authorization", "token")
	a := answer.From(ctx)
	a.Status, a.RetryAfter = status, b.retry
	if status != 200 {
		return fmt.Errorf("status %d", status)
	}
	a.Rejected = min(b.rejected, int64(len(names)))
	for _, name := range names {
		b.got[name]++
	}
	return nil
}

func (b *fakeBackend) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls
}

func (b *fakeBackend) seen() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.got)
}

func spanNames(batch otlpfile.Batch) (names []string) {
	for _, resource := range batch.(ptrace.Traces).ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				names = append(names, span.Name())
			}
		}
	}
	return names
}

func spansOf(names ...string) ptrace.Traces {
	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for _, name := range names {
		spans.AppendEmpty().SetName(name)
	}
	return traces
}

// fixture is an engine for traces over a disk and a backend of the test.
type fixture struct {
	cfg     *Config
	disk    *memDisk
	backend *fakeBackend
	behind  *atomic.Pointer[fakeBackend] // the running engine's
	engine  *engine
	stream  *stream
	told    chan struct{}
	renewed chan struct{}
	n       int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Directory = t.TempDir()
	return &fixture{cfg: cfg, disk: newMemDisk(), backend: newFakeBackend()}
}

func (f *fixture) start(t *testing.T) {
	t.Helper()
	f.told = make(chan struct{})
	f.engine = newEngine(f.cfg, zap.NewNop(), "test", f.disk)
	told := f.told
	f.engine.watch = func() <-chan struct{} { return told }
	f.renewed = make(chan struct{})
	renewed := f.renewed
	f.engine.renewed = func() <-chan struct{} { return renewed }
	behind := &atomic.Pointer[fakeBackend]{}
	behind.Store(f.backend)
	f.behind = behind
	f.stream = f.engine.add(otlpfile.Traces, func(ctx context.Context, batch otlpfile.Batch) error {
		return behind.Load().push(ctx, batch)
	})
	if err := f.engine.start(f.stream); err != nil {
		t.Fatal(err)
	}
}

// accept takes n new spans over and returns their names.
func (f *fixture) accept(t *testing.T, n int, prefix string) []string {
	t.Helper()
	var names []string
	for range n {
		f.n++
		names = append(names, fmt.Sprintf("%s%05d", prefix, f.n))
	}
	if err := f.stream.accept(spansOf(names...)); err != nil {
		t.Fatalf("a producer got an error: %v", err)
	}
	return names
}

func (f *fixture) stop(t *testing.T) {
	t.Helper()
	if err := f.engine.leave(f.stream); err != nil {
		t.Fatal(err)
	}
}

// record is delivery.json as the next process finds it.
func (f *fixture) record(t *testing.T) *delivery.Signal {
	t.Helper()
	file, err := delivery.Load(f.cfg.Directory)
	if err != nil {
		t.Fatal(err)
	}
	counts := file.Signals[otlpfile.Traces]
	if err := counts.Check(); err != nil {
		t.Error(err)
	}
	return counts
}

// inFile are the spans in the file, how often each; bad counts the lines that are none.
func (f *fixture) inFile(t *testing.T) (names map[string]int, bad int) {
	t.Helper()
	names = map[string]int{}
	reader := otlpfile.NewReader(bytes.NewReader(f.disk.content(f.stream.path)), otlpfile.Traces, 0)
	for {
		line, err := reader.Next()
		if err != nil {
			return names, bad
		}
		if line.Kind != otlpfile.Good {
			bad++
			continue
		}
		for _, name := range spanNames(line.Batch) {
			names[name]++
		}
	}
}

func has(t *testing.T, what string, set map[string]int, names []string) {
	t.Helper()
	missing := 0
	for _, name := range names {
		if set[name] == 0 {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%s lacks %d of %d spans", what, missing, len(names))
	}
}
