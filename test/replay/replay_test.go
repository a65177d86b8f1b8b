// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/replay"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

func TestEverythingWithoutRecord(t *testing.T) {
	b := newBench(t)
	for _, name := range numbered("line-", 50) {
		b.spans(name, name+"-b")
	}
	b.others()
	report := b.run()
	if !report.Settled() || len(report.Jobs[0].Signals) != 3 || b.said.Len() > 0 {
		t.Errorf("%+v, %s", report.Jobs[0], b.said.String())
	}
	b.complete(b.names, 1)
	if n := len(b.backend.RequestsOf(ingest.Traces)); n != 1 {
		t.Errorf("%d requests, want the lines merged into one", n)
	}
	if len(b.backend.Metrics()) != 1 || len(b.backend.Logs()) != 1 || b.backend.Dropped() != 0 {
		t.Errorf("metrics %d, logs %d, without a tenant %d", len(b.backend.Metrics()), len(b.backend.Logs()), b.backend.Dropped())
	}
	for _, r := range b.backend.Requests() {
		if r.Authorization() != "Bearer "+testToken || r.Header.Get("Content-Encoding") != "gzip" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("headers %v", r.Header)
		}
	}
	attribute, _ := b.backend.Traces()[0].ResourceSpans().At(0).Resource().Attributes().Get("Authorization")
	if attribute.Str() != testToken {
		t.Errorf("attribute %q", attribute.Str())
	}
	file, size := b.record(), fileSize(t, b)
	got := b.traces()
	if !file.Ended || file.RunID != "run" || got.Accepted != 100 || got.Delivered != 100 || got.Position.Offset != size || got.Position.Delivered != 100 {
		t.Errorf("%+v of %d bytes in %+v", got, size, file)
	}

	// Once more: there is nothing to do.
	before := len(b.backend.Requests())
	if report := b.run(); !report.Settled() || len(b.backend.Requests()) != before {
		t.Errorf("a second replay sent %d requests: %+v", len(b.backend.Requests())-before, report.Jobs[0])
	}
	// Everything again.
	b.opt.All, b.opt.Signals = true, []otlpfile.Signal{otlpfile.Traces}
	if report := b.run(); !report.Settled() || len(report.Jobs[0].Signals) != 1 || report.Jobs[0].Signals[0].Sent != 100 {
		t.Errorf("%+v", report.Jobs[0])
	}
	b.complete(b.names, 2)
	if got := b.traces(); got.Accepted != 100 || got.Delivered != 100 {
		t.Errorf("%+v", got)
	}
}

func fileSize(t *testing.T, b *bench) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(b.otel(), "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestFromThePositionOn(t *testing.T) {
	b := newBench(t)
	line := b.spans("settled")
	b.names = map[string]bool{}
	start := int64(len(line))
	b.spans("open-1", "open-2")
	counts := &delivery.Signal{
		Accepted: 3, Delivered: 1, Undelivered: 2,
		Position: delivery.Position{Offset: start, LineLength: start, LineCRC32C: delivery.Checksum(line), Delivered: 1},
		Ranges:   []delivery.Range{{Start: 0, End: start, Reason: "partial"}, {Start: start, End: start + 5, Reason: "rejected"}},
	}
	b.save(&delivery.File{RunID: "other", Ended: true, Signals: map[otlpfile.Signal]*delivery.Signal{otlpfile.Traces: counts}})
	b.opt.DryRun = true
	if report := b.run(); signalOf(t, report, otlpfile.Traces).Left != 2 || len(b.backend.Requests()) != 0 {
		t.Errorf("dry run: %+v", report.Jobs[0].Signals[0])
	}
	b.opt.DryRun = false
	if report := b.run(); !report.Settled() {
		t.Errorf("%+v", report.Jobs[0])
	}
	b.complete(b.names, 1)
	got := b.traces()
	if got.Accepted != 3 || got.Delivered != 3 || got.Position.Delivered != 3 || len(got.Ranges) != 1 || b.record().RunID != "other" {
		t.Errorf("%+v", got)
	}
}

func (b *bench) save(file *delivery.File) {
	b.t.Helper()
	file.Version = delivery.Version
	if err := file.Save(b.otel()); err != nil {
		b.t.Fatal(err)
	}
}

func TestRecordOfAnotherFile(t *testing.T) {
	b := newBench(t)
	b.spans("a")
	b.spans("b")
	b.save(&delivery.File{Ended: true, Signals: map[otlpfile.Signal]*delivery.Signal{otlpfile.Traces: {
		Accepted: 9, Delivered: 9, Position: delivery.Position{Offset: 10, LineLength: 10, LineCRC32C: "00000000", Delivered: 9},
	}}})
	report := b.run()
	b.complete(b.names, 1)
	if got := b.traces(); !report.Settled() || got.Delivered != 2 || !strings.Contains(b.said.String(), "all of it is sent") {
		t.Errorf("%+v, %s", got, b.said.String())
	}
}

func TestBadLinesAreSkippedAlone(t *testing.T) {
	b := newBench(t)
	b.spans("a")
	joined := append(spanLine(t, 0, "j1"), spanLine(t, 0, "j2")...)
	joined = append([]byte(strings.Replace(string(joined), "}\n{", "}{", 1)), "\n\x00\x00\x00\n"+`{"resourceLogs":[]}`+"\n"...)
	b.write(otlpfile.Traces, joined)
	b.spans("b")
	b.write(otlpfile.Traces, []byte(`{"resourceSpans":[{`))
	for range 2 { // the second time only the torn line at the end is left to look at
		report := b.run()
		s := signalOf(t, report, otlpfile.Traces)
		if !report.Settled() || s.SkippedLines == 0 {
			t.Errorf("%+v", s)
		}
		last := s.Skipped[len(s.Skipped)-1]
		if last.Line != 7 || last.Kind != "torn" || last.End != fileSize(t, b) {
			t.Errorf("%+v", last)
		}
		b.complete(b.names, 1)
		if got := b.traces(); got.Accepted != 2 || got.Delivered != 2 {
			t.Errorf("%+v", got)
		}
	}
	if n := len(b.backend.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestLargeLineIsSplitAndLinesAreMerged(t *testing.T) {
	b := newBench(t)
	names := numbered("big-", 20)
	for _, name := range names {
		b.names[name] = true
	}
	b.write(otlpfile.Traces, spanLine(t, 1<<20, names...)) // 20 MB
	for _, name := range numbered("small-", 30) {
		b.spans(name)
	}
	if report := b.run(); !report.Settled() {
		t.Errorf("%+v", report.Jobs[0])
	}
	b.complete(b.names, 1)
	for _, r := range b.backend.Requests() {
		if len(r.Payload) > 9<<19 { // 4 MB in protobuf, and it is in JSON here
			t.Errorf("a request of %d bytes", len(r.Payload))
		}
	}
	if got := b.traces(); got.Delivered != 50 || got.Position.Delivered != 50 {
		t.Errorf("%+v", got)
	}
}

func TestInterruptedAndStartedAgain(t *testing.T) {
	b := newBench(t)
	for i := range 6 { // some 12 MB: several requests
		names := numbered(string(rune('a'+i))+"-", 2)
		for _, name := range names {
			b.names[name] = true
		}
		b.write(otlpfile.Traces, spanLine(t, 1<<20, names...))
	}
	ctx, cancel := context.WithCancel(t.Context())
	b.opt.Progress = func(p replay.Progress) {
		if p.Done > 0 && !p.Reading {
			b.backend.SetFaults(ingest.Faults{Hang: true})
			time.AfterFunc(50*time.Millisecond, cancel)
		}
	}
	report := b.runWith(ctx)
	s := signalOf(t, report, otlpfile.Traces)
	if report.Settled() || s.Left == 0 || s.Sent == 0 || !strings.Contains(report.Jobs[0].Error, "interrupted") {
		t.Fatalf("%+v, %s", s, report.Jobs[0].Error)
	}
	if got := b.traces(); got.Undelivered != s.Left || got.Position.Offset == 0 || !b.record().Ended {
		t.Errorf("%+v", got)
	}
	b.backend.SetFaults(ingest.Faults{})
	b.opt.Progress = nil
	if report := b.run(); !report.Settled() || signalOf(t, report, otlpfile.Traces).Sent != s.Left {
		t.Errorf("%+v", report.Jobs[0].Signals[0])
	}
	b.complete(b.names, 1)
	for name, times := range b.arrived() {
		if times > 1 {
			t.Errorf("%s was sent %d times", name, times)
		}
	}
}

func TestLivingCollector(t *testing.T) {
	b := newBench(t)
	b.spans("a")
	file := &delivery.File{Owner: delivery.Owner{ID: "x", Generation: 3, Host: "n17", Interval: 1}}
	b.save(file)
	ctx, cancel := context.WithCancel(t.Context())
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		for ctx.Err() == nil {
			file.Owner.Beat++
			_ = file.Save(b.otel())
			time.Sleep(100 * time.Millisecond)
		}
	}()
	report := b.run()
	cancel()
	<-beating
	if report.Settled() || !strings.Contains(report.Jobs[0].Error, "n17") || len(b.backend.Requests()) != 0 {
		t.Errorf("%+v", report.Jobs[0])
	}
	// It is dead now, without having said so.
	if report := b.run(); !report.Settled() || !strings.Contains(b.said.String(), "sign of life") {
		t.Errorf("%+v", report.Jobs[0])
	}
	b.complete(b.names, 1)
	if owner := b.record().Owner; owner.Generation != 4 || owner.ID == "x" {
		t.Errorf("%+v", owner)
	}
}

func TestOvertaken(t *testing.T) {
	b := newBench(t)
	b.spans("a")
	b.backend.SetFaults(ingest.Faults{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	time.AfterFunc(200*time.Millisecond, func() {
		b.save(&delivery.File{RunID: "mine", Owner: delivery.Owner{ID: "new", Generation: 9}})
	})
	b.opt.Timeout = time.Minute
	report := replay.Run(ctx, []replay.Job{b.job}, b.opt)
	if report.Settled() || !strings.Contains(report.Jobs[0].Error, "taken the directory over") {
		t.Errorf("%+v", report.Jobs[0])
	}
	if file := b.record(); file.Owner.ID != "new" || file.Ended {
		t.Errorf("%+v", file)
	}
}

func TestMissingFile(t *testing.T) {
	b := newBench(t)
	b.save(&delivery.File{Ended: true, Signals: map[otlpfile.Signal]*delivery.Signal{otlpfile.Traces: {Accepted: 5, Undelivered: 5}}})
	report := b.run()
	if report.Settled() || signalOf(t, report, otlpfile.Traces).Left != 5 || !strings.Contains(report.Jobs[0].Error, "traces.jsonl") {
		t.Errorf("%+v", report.Jobs[0])
	}
	if got := b.traces(); got.Undelivered != 5 {
		t.Errorf("%+v", got)
	}
}

func TestSeveralJobs(t *testing.T) {
	first, second := newBench(t), newBench(t)
	first.spans("a")
	second.spans("b")
	first.backend.SetFaults(ingest.Faults{Status: http.StatusUnauthorized})
	report := replay.Run(t.Context(), []replay.Job{first.job, second.job}, first.opt)
	if report.Settled() || !strings.Contains(signalOf(t, report, otlpfile.Traces).Error, "token") {
		t.Errorf("%+v", report.Jobs[0])
	}
	if s := report.Jobs[1].Signals[0]; s.Left != 1 || s.Error != "not tried after the failure before" || len(second.backend.Requests()) != 0 {
		t.Errorf("%+v", s)
	}
}
