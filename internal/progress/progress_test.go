// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// scrape is a line of the file: what one engine's page said some seconds after the beginning.
func scrape(t *testing.T, job, engine string, seconds, finished, generated float64) []byte {
	t.Helper()
	metrics := pmetric.NewMetrics()
	rm := metrics.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("slurm_job_id", job)
	rm.Resource().Attributes().PutStr("service.instance.id", engine)
	scope := rm.ScopeMetrics().AppendEmpty()
	counter := func(name, reason string, value float64) {
		m := scope.Metrics().AppendEmpty()
		m.SetName(name)
		p := m.SetEmptySum().DataPoints().AppendEmpty()
		p.SetDoubleValue(value)
		p.SetTimestamp(pcommon.NewTimestampFromTime(began.Add(time.Duration(seconds * float64(time.Second)))))
		p.Attributes().PutStr("finished_reason", reason)
	}
	counter("vllm_request_success_total", "stop", finished)
	counter("vllm_request_success_total", "length", 1)
	counter("vllm_generation_tokens_total", "", generated)
	line, err := otlpfile.Marshal(metrics)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func read(t *testing.T, lines ...[]byte) *Progress {
	t.Helper()
	content := bytes.Join(lines, nil)
	return Read(bytes.NewReader(content), int64(len(content)), "12")
}

func TestProgressOfTwoEngines(t *testing.T) {
	p := read(t,
		scrape(t, "11", "a", 0, 500, 50000), // an earlier job
		scrape(t, "12", "a", 0, 0, 0),
		scrape(t, "12", "b", 0, 0, 0),
		[]byte("{\"resourceMetrics\":[{\"torn \"vllm_generation_tokens_total\"\n"),
		scrape(t, "12", "a", 15, 3, 1500),
		scrape(t, "12", "b", 15, 4, 3000),
		scrape(t, "12", "a", 30, 10, 3000)[:40], // being written
	)
	if p == nil || p.RequestsFinished != 3+1+4+1 || p.GenerationTokens != 4500 || p.TokensPerSecond == nil || *p.TokensPerSecond != 300 {
		t.Fatalf("%+v", p)
	}
	if want := began.Add(15 * time.Second); !p.AsOf.Equal(want) {
		t.Errorf("as of %v, want %v", p.AsOf, want)
	}
}

// The rate is that of the last minute, and one that begins anew is not negative.
func TestRate(t *testing.T) {
	p := read(t, scrape(t, "12", "a", 0, 0, 0), scrape(t, "12", "a", 100, 0, 100000), scrape(t, "12", "a", 130, 0, 100600))
	if *p.TokensPerSecond != 20 {
		t.Errorf("%v tokens a second, want 20", *p.TokensPerSecond)
	}
	p = read(t, scrape(t, "12", "a", 0, 0, 9000), scrape(t, "12", "a", 15, 0, 100), scrape(t, "12", "a", 30, 0, 250))
	if *p.TokensPerSecond != 10 || p.GenerationTokens != 250 {
		t.Errorf("after a restart: %+v", p)
	}
	if p = read(t, scrape(t, "12", "a", 0, 2, 7)); p.TokensPerSecond != nil || p.RequestsFinished != 3 {
		t.Errorf("of one scrape: %+v", p)
	}
}

// However long the file is, its end is enough, and a part that begins within a line is none.
func TestOnlyTheEndIsRead(t *testing.T) {
	other := bytes.Repeat([]byte(`{"resourceMetrics":[{"note":"`+strings.Repeat("x", 1000)+`"}]}`+"\n"), 6000)
	content := append(append(scrape(t, "12", "a", 0, 0, 0), other...), scrape(t, "12", "a", 15, 8, 300)...)
	source := &counting{ReaderAt: bytes.NewReader(content)}
	p := Read(source, int64(len(content)), "12")
	if p == nil || p.RequestsFinished != 9 {
		t.Fatalf("%+v", p)
	}
	if source.lowest < int64(len(content))-windows[0] {
		t.Errorf("read from byte %d of %d on", source.lowest, len(content))
	}
}

type counting struct {
	ReaderAt interface {
		ReadAt(p []byte, off int64) (int, error)
	}
	lowest int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	if c.lowest == 0 || off < c.lowest {
		c.lowest = off
	}
	return c.ReaderAt.ReadAt(p, off)
}

func TestNothingTells(t *testing.T) {
	dir := t.TempDir()
	if p := Of(t.Context(), host.Local{}, dir, "12"); p != nil {
		t.Errorf("without a file: %+v", p)
	}
	if err := os.MkdirAll(filepath.Join(dir, "otel"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "otel", "metrics.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p := Of(t.Context(), host.Local{}, dir, "12"); p != nil {
		t.Errorf("of an empty file: %+v", p)
	}
	if err := os.WriteFile(file, scrape(t, "12", "a", 0, 1, 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := Of(t.Context(), host.Local{}, dir, "13"); p != nil {
		t.Errorf("of another job: %+v", p)
	}
	if p := Of(t.Context(), host.Local{}, dir, "12"); p == nil || p.RequestsFinished != 2 {
		t.Errorf("%+v", p)
	}
}
