// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package pyprom

import (
	"math"
	"os/exec"
	"strconv"
	"testing"
)

// The same families and values, written by the Python client.
const pythonScript = `
import sys
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Summary, generate_latest
r = CollectorRegistry()
c = Counter("v:tokens", 'Help with \\ and\nline.', ("model_name", "engine"), registry=r)
c.labels('a "b" \\ c\nd', "0").inc(1234567.5)
c.labels("", "1").inc(0)
h = Histogram("v:iteration_tokens_total", "Steps.", ("model_name", "engine"), buckets=(0.001, 0.3, 1, 16384, 1e6), registry=r)
for v in (0.001, 0.2, 5, 1e7):
    h.labels("m", "0").observe(v)
s = Summary("size", "Size.", registry=r)
s.observe(1e-5)
g = Gauge("g", "Values.", ("n",), registry=r)
for i, v in enumerate((0.1 + 0.2, 1e15, 1e16, 1e22, 123456, 1234567, 12345678.25, -1234567, 5e-324, float("nan"), float("-inf"))):
    g.labels(str(i)).set(v)
sys.stdout.buffer.write(generate_latest(r))`

func TestPageEqualsPythons(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import prometheus_client").Run() != nil {
		t.Skip("python3-prometheus-client not installed")
	}
	want, err := exec.Command(python, "-c", pythonScript).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := withoutTimes(samePage()); got != withoutTimes(want) {
		t.Errorf("ours:\n%s\nPython's:\n%s", got, want)
	}
}

func samePage() []byte {
	var r Registry
	c := r.Counter("v:tokens", "Help with \\ and\nline.", "model_name", "engine")
	c.With("a \"b\" \\ c\nd", "0").Add(1234567.5)
	c.With("", "1")
	h := r.Histogram("v:iteration_tokens_total", "Steps.", []float64{0.001, 0.3, 1, 16384, 1e6}, "model_name", "engine")
	for _, v := range []float64{0.001, 0.2, 5, 1e7} {
		h.With("m", "0").Observe(v)
	}
	r.Summary("size", "Size.").With().Observe(1e-5)
	g := r.Gauge("g", "Values.", "n")
	tenth, fifth := 0.1, 0.2 // variables, or the compiler would add them exactly
	values := []float64{
		tenth + fifth, 1e15, 1e16, 1e22, 123456, 1234567, 12345678.25, -1234567,
		math.SmallestNonzeroFloat64, math.NaN(), math.Inf(-1),
	}
	for i, v := range values {
		g.With(strconv.Itoa(i)).Set(v)
	}
	return r.Page()
}
