// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package pyprom

import (
	"math"
	"regexp"
	"testing"
)

func TestFormatFloat(t *testing.T) {
	for want, value := range map[string]float64{
		"0.0": 0, "1.0": 1, "-3.0": -3, "0.1": 0.1, "2110.0": 2110, "16384.0": 16384,
		"1e+06": 1e6, "1.048576e+06": 1048576, "7.441375232e+09": 7441375232,
		"1.762134523388924e+09": 1762134523.388924, "1e-05": 1e-5, "0.0001": 1e-4,
		"123456.0": 123456, "+Inf": math.Inf(1), "-Inf": math.Inf(-1), "NaN": math.NaN(),
	} {
		if got := formatFloat(value); got != want {
			t.Errorf("formatFloat(%v) = %q, want %q", value, got, want)
		}
	}
}

func TestPage(t *testing.T) {
	var r Registry
	c := r.Counter("req", "Requests\nserved.", "z", "a")
	h := r.Histogram("lat", "Latency.", []float64{0.5, 1}, "m")
	s := r.Summary("size", "Size.")
	r.Gauge("empty", "No series yet.")
	r.Counter("plain", "From a collector.").WithoutCreated().With().Set(2)
	r.Update(func() {
		c.With(`x"\`, "b\n").Add(3)
		h.With("q").Observe(0.5)
		h.With("q").Observe(7)
		s.With().Observe(4)
	})
	if got := withoutTimes(r.Page()); got != wantPage {
		t.Errorf("page:\n%s\nwant:\n%s", got, wantPage)
	}
}

var creation = regexp.MustCompile(`(?m)^([\w:]+_created(?:\{.*\})?) \S+$`)

// withoutTimes takes the times of creation out of a page.
func withoutTimes(page []byte) string {
	return string(creation.ReplaceAll(page, []byte("$1 T")))
}

const wantPage = `# HELP req_total Requests\nserved.
# TYPE req_total counter
req_total{a="b\n",z="x\"\\"} 3.0
# HELP req_created Requests\nserved.
# TYPE req_created gauge
req_created{a="b\n",z="x\"\\"} T
# HELP lat Latency.
# TYPE lat histogram
lat_bucket{le="0.5",m="q"} 1.0
lat_bucket{le="1.0",m="q"} 1.0
lat_bucket{le="+Inf",m="q"} 2.0
lat_count{m="q"} 2.0
lat_sum{m="q"} 7.5
# HELP lat_created Latency.
# TYPE lat_created gauge
lat_created{m="q"} T
# HELP size Size.
# TYPE size summary
size_count 1.0
size_sum 4.0
# HELP size_created Size.
# TYPE size_created gauge
size_created T
# HELP empty No series yet.
# TYPE empty gauge
# HELP plain_total From a collector.
# TYPE plain_total counter
plain_total 2.0
`

func TestRefreshBeforePage(t *testing.T) {
	var r Registry
	g := r.Gauge("g", "G.").With()
	r.BeforePage(func() { g.Add(1) })
	r.Page()
	r.Page()
	if g.Value() != 2 {
		t.Errorf("refreshed %v times, want 2", g.Value())
	}
}
