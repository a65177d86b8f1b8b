// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/replay"
)

// Memory depends neither on the size of the file nor on the length of its lines.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 160 MB")
	}
	for name, c := range map[string]struct {
		spans, lines int
		most         uint64 // MB
	}{
		"100 MB":     {2000, 150, 100},
		"long lines": {89000, 2, 200},
	} {
		t.Run(name, func(t *testing.T) {
			// As the command does.
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(150 << 20))
			b := newBench(t)
			line := spanLine(t, 200, numbered("span-", c.spans)...)
			for range c.lines {
				b.write(otlpfile.Traces, line)
			}
			size := len(line)
			most := peakOf(t, b, int64(c.spans*c.lines)) >> 20
			t.Logf("lines of %d MB, %d MB of them: at most %d MB of heap", size>>20, size*c.lines>>20, most)
			if most > c.most {
				t.Errorf("the heap grew by %d MB, want at most %d", most, c.most)
			}
		})
	}
}

// peakOf is by how much the heap grew during a replay.
func peakOf(t *testing.T, b *bench, items int64) uint64 {
	t.Helper()
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
	most := <-peak
	if s := signalOf(t, report, otlpfile.Traces); !report.Settled() || s.Sent != items {
		t.Errorf("%+v", s)
	}
	return most - min(most, before)
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
