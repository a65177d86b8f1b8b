// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
func scrape(t testing.TB, job, engine string, seconds, finished, generated float64) []byte {
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
	content := slices.Concat(scrape(t, "12", "a", 0, 0, 0), other, scrape(t, "12", "a", 15, 8, 300), scrape(t, "12", "a", 30, 8, 300))
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

// No engine is left out because the others wrote after it.
func TestManyEngines(t *testing.T) {
	padding := []byte(`"attributes":[{"key":"pad","value":{"stringValue":"` + strings.Repeat("x", 100<<10) + `"}},`)
	var content []byte
	for round := range 3 {
		for engine := range strings.SplitSeq("abcdefghijklmnop", "") {
			line := scrape(t, "12", engine, float64(15*round), float64(round), float64(150*round))
			content = append(content, bytes.Replace(line, []byte(`"attributes":[`), padding, 1)...)
		}
	}
	p := Read(bytes.NewReader(content), int64(len(content)), "12")
	if p == nil || p.RequestsFinished != 16*3 || *p.TokensPerSecond != 160 {
		t.Errorf("%+v", p)
	}
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

// status reads this much of every running benchmark: a window full of scrapes, each as large as an engine's
// page of some sixty families.
func BenchmarkRead(b *testing.B) {
	page := strings.Replace(string(scrape(b, "12", "a", 0, 8, 300)), `{"name"`,
		strings.Repeat(`{"name":"vllm_e2e_request_latency_seconds","histogram":{"dataPoints":[{"timeUnixNano":"1","count":"9","sum":3,"bucketCounts":["1","2","3","4","5","6","7","8","9","10"],"explicitBounds":[1,2,3,4,5,6,7,8,9]}],"aggregationTemporality":2}},`, 300)+`{"name"`, 1)
	content := []byte(strings.Repeat(page, int(windows[0])/len(page)+1))
	b.SetBytes(windows[0])
	for b.Loop() {
		if p := Read(bytes.NewReader(content), int64(len(content)), "12"); p == nil {
			b.Fatal("nothing was read")
		}
	}
}
