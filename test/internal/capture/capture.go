// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package capture makes a recorded metrics page live: served again and again, its counters
// advance.
package capture

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// Page is a recorded page. Later is the same page of the same process a little later, or
// empty when there is none.
type Page struct {
	Earlier, Later string
}

// At is the page after n steps: counters, histograms and summaries go on as they went from
// the earlier page to the later one. Without a later page every counter grows by one, and a
// thousandth of what it is. Gauges stay.
func (p Page) At(n int) string {
	later := samples(p.Later)
	var out strings.Builder
	kind := ""
	for line := range strings.Lines(p.Earlier) {
		if fields := strings.Fields(line); len(fields) == 4 && fields[1] == "TYPE" {
			kind = fields[3]
		}
		name, value, ok := sample(line)
		if !ok || kind == "gauge" {
			out.WriteString(line)
			continue
		}
		delta := 0.0
		if next, found := later[name]; found {
			delta = next - value
		} else if kind == "counter" {
			delta = 1 + value/1000
		}
		fmt.Fprintf(&out, "%s %s\n", name, strconv.FormatFloat(value+float64(n)*delta, 'g', -1, 64))
	}
	return out.String()
}

// Handler serves the page, a step further with each request.
func (p Page) Handler() http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(p.At(int(n.Add(1) - 1)))) // a scraper that went away is no fault of the page
	})
}

func samples(page string) map[string]float64 {
	all := map[string]float64{}
	for line := range strings.Lines(page) {
		if name, value, ok := sample(line); ok {
			all[name] = value
		}
	}
	return all
}

// sample splits a line into the series and its value; comments are none.
func sample(line string) (name string, value float64, ok bool) {
	line = strings.TrimSpace(line)
	at := strings.LastIndexByte(line, ' ')
	if at < 0 || line[0] == '#' {
		return "", 0, false
	}
	value, err := strconv.ParseFloat(line[at+1:], 64)
	return line[:at], value, err == nil
}
