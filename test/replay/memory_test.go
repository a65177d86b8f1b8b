// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/replay"
)

// Memory depends on the size of a request and not on that of the file.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100 MB")
	}
	b := newBench(t)
	line := spanLine(t, 200, numbered("span-", 2000)...) // some 700 KB
	lines := 100<<20/len(line) + 1
	for range lines {
		b.write(otlpfile.Traces, line)
	}
	// The stand-in keeps what it gets; this one does not.
	sink := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the answer says it
	}))
	defer sink.Close()
	b.job.Endpoint = sink.URL
	runtime.GC()
	before, quit, peak := heap(), make(chan struct{}), make(chan uint64)
	go watchHeap(quit, peak)
	report := replay.Run(t.Context(), []replay.Job{b.job}, b.opt)
	close(quit)
	most := (<-peak - before) >> 20
	t.Logf("%d MB of lines, at most %d MB of heap", lines*len(line)>>20, most)
	if s := signalOf(t, report, otlpfile.Traces); !report.Settled() || s.Sent != int64(lines)*2000 {
		t.Errorf("%+v", s)
	}
	if most > 100 {
		t.Errorf("the heap grew by %d MB", most)
	}
}

func watchHeap(quit <-chan struct{}, peak chan<- uint64) {
	most := uint64(0)
	for {
		most = max(most, heap())
		select {
		case <-time.After(2 * time.Millisecond):
		case <-quit:
			peak <- most
			return
		}
	}
}

// heap is what objects take, the dead ones that are not yet collected too.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
