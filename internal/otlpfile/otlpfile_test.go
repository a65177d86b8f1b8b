// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package otlpfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// spans is one line with n spans, named from 0 on.
func spans(tb testing.TB, n int) []byte {
	tb.Helper()
	traces := ptrace.NewTraces()
	resource := traces.ResourceSpans().AppendEmpty()
	scope := resource.ScopeSpans().AppendEmpty()
	for i := range n {
		if i%3 == 0 {
			scope = resource.ScopeSpans().AppendEmpty()
		}
		scope.Spans().AppendEmpty().SetName(fmt.Sprint(i))
	}
	return line(tb, traces)
}

func line(tb testing.TB, batch Batch) []byte {
	tb.Helper()
	text, err := Marshal(batch)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func kinds(t *testing.T, signal Signal, content []byte) (got []string, items int) {
	t.Helper()
	reader := NewReader(bytes.NewReader(content), signal, 0)
	end := int64(0)
	for {
		l, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return got, items
		}
		if err != nil {
			t.Fatal(err)
		}
		if l.Start < end || l.End <= l.Start || l.End > int64(len(content)) {
			t.Fatalf("line %d is from %d to %d, the one before ended at %d", l.Number, l.Start, l.End, end)
		}
		end = l.End
		got = append(got, l.Kind.String())
		items += l.Items
	}
}

func TestKinds(t *testing.T) {
	one, two := string(spans(t, 3)), string(spans(t, 2))
	holed := []byte(one)
	copy(holed[20:], make([]byte, 16))
	for name, c := range map[string]struct {
		content string
		want    []string
		items   int
	}{
		"nothing":            {"", nil, 0},
		"whole":              {one + two, []string{"good", "good"}, 5},
		"healed":             {one + one[:30] + "\n\n\n" + two, []string{"good", "damaged", "good"}, 5},
		"torn at the end":    {one + two[:len(two)-1], []string{"good", "torn"}, 3},
		"joined":             {one[:len(one)-1] + two + one, []string{"damaged", "good"}, 3},
		"NUL":                {string(holed) + two, []string{"damaged", "good"}, 2},
		"empty object":       {"{}\n" + two, []string{"foreign", "good"}, 2},
		"null":               {"null\n" + two, []string{"foreign", "good"}, 2},
		"a program's log":    {`{"level":"info"}` + "\n" + two, []string{"foreign", "good"}, 2},
		"another signal":     {`{"resourceMetrics":[]}` + "\n" + two, []string{"foreign", "good"}, 2},
		"without items":      {`{"resourceSpans":[]}` + "\n" + two, []string{"foreign", "good"}, 2},
		"garbage behind":     {one[:len(one)-1] + "x\n" + two, []string{"damaged", "good"}, 2},
		"longer than a line": {strings.Repeat(" ", MaxLine+5) + "\n" + two, []string{"damaged", "good"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, items := kinds(t, Traces, []byte(c.content))
			if !slices.Equal(got, c.want) || items != c.items {
				t.Errorf("got %v with %d items, want %v with %d", got, items, c.want, c.items)
			}
		})
	}
}

// A file cut at any byte has its whole lines, and nothing else that is good.
func TestCutAnywhere(t *testing.T) {
	lines := [][]byte{spans(t, 1), spans(t, 2), spans(t, 3)}
	content := bytes.Join(lines, nil)
	for cut := range len(content) {
		whole, want, rest := 0, 0, cut
		for i, l := range lines {
			if rest -= len(l); rest >= 0 {
				whole, want = whole+1, want+i+1
			}
		}
		if _, items := kinds(t, Traces, content[:cut]); items != want {
			t.Fatalf("cut at %d: %d items, want the %d of %d whole lines", cut, items, want, whole)
		}
	}
}

func TestHalves(t *testing.T) {
	metrics := pmetric.NewMetrics()
	scope := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	m := scope.Metrics().AppendEmpty()
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	scope.Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty()
	h := scope.Metrics().AppendEmpty().SetEmptyHistogram().DataPoints()
	h.AppendEmpty()
	h.AppendEmpty()
	scope.Metrics().AppendEmpty().SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
	scope.Metrics().AppendEmpty().SetEmptySummary().DataPoints().AppendEmpty()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for range 5 {
		records.AppendEmpty()
	}
	traces, err := Unmarshal(Traces, spans(t, 7))
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []Batch{metrics, logs, traces} {
		n := Items(batch)
		leaves := 0
		var split func(Batch)
		split = func(b Batch) {
			if Items(b) == 1 {
				leaves++
				return
			}
			first, second := Halves(b)
			if Items(first)+Items(second) != Items(b) || Items(first) == 0 {
				t.Fatalf("%T: %d items became %d and %d", b, Items(b), Items(first), Items(second))
			}
			split(first)
			split(second)
		}
		split(batch)
		if leaves != n || Items(batch) != n {
			t.Errorf("%T: %d items came apart into %d, and the batch has %d now", batch, n, leaves, Items(batch))
		}
	}
}

// FuzzParse: whatever is good can be written again and is good then, with as many items.
func FuzzParse(f *testing.F) {
	f.Add(uint8(1), spans(f, 2))
	f.Add(uint8(0), []byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":{"dataPoints":[{"asDouble":"NaN"}]}}]}]}]}`+"\n"))
	f.Add(uint8(2), []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}`+"\n"))
	f.Add(uint8(2), []byte("{}\n"))
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		signal := Signals[int(which)%len(Signals)]
		got := Parse(signal, text)
		if got.Kind != Good {
			return
		}
		again := Parse(signal, line(t, got.Batch))
		if again.Kind != Good || again.Items != got.Items {
			t.Errorf("%q is good with %d items; written again it is %v (%s) with %d", text, got.Items, again.Kind, again.Reason, again.Items)
		}
	})
}

// FuzzReader: no content makes the reader panic, lose its place or return half a line as good.
func FuzzReader(f *testing.F) {
	f.Add(append(spans(f, 2), spans(f, 1)...))
	f.Fuzz(func(t *testing.T, content []byte) {
		kinds(t, Traces, content)
	})
}
