// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package pyprom writes metrics the way the Python client library does, because that is
// what inference engines serve: `1.0` instead of `1`, a `_created` gauge beside every
// counter, histogram and summary, label names in alphabetical order. Go's own client
// can produce none of the three.
package pyprom

import (
	"slices"
	"sync"
	"time"
)

type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
	summary   kind = "summary"
)

// Registry holds families in the order in which they were registered, which is the
// order of the page.
type Registry struct {
	mu         sync.Mutex
	families   []*Family
	beforePage []func()
}

// Update runs change while no page is written, so that values which belong together
// appear together. Every change of a Series has to happen inside it.
func (r *Registry) Update(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// BeforePage registers a function that brings values up to date right before a page is
// written. It runs as if inside Update.
func (r *Registry) BeforePage(refresh func()) {
	r.Update(func() { r.beforePage = append(r.beforePage, refresh) })
}

// Family is one metric name with all its label values.
type Family struct {
	name, help string
	kind       kind
	labels     []string
	bounds     []float64
	created    bool
	series     []*Series
}

// Counter registers a counter. As in Python the name has no `_total`; the page adds it.
func (r *Registry) Counter(name, help string, labels ...string) *Family {
	return r.add(&Family{name: name, help: help, kind: counter, labels: labels, created: true})
}

// Gauge registers a gauge.
func (r *Registry) Gauge(name, help string, labels ...string) *Family {
	return r.add(&Family{name: name, help: help, kind: gauge, labels: labels})
}

// Summary registers a summary. The Python client knows no quantiles: count and sum only.
func (r *Registry) Summary(name, help string, labels ...string) *Family {
	return r.add(&Family{name: name, help: help, kind: summary, labels: labels, created: true})
}

// Histogram registers a histogram with these upper bounds; +Inf is added.
func (r *Registry) Histogram(name, help string, bounds []float64, labels ...string) *Family {
	return r.add(&Family{name: name, help: help, kind: histogram, labels: labels, bounds: bounds, created: true})
}

// WithoutCreated leaves out the `_created` gauge, as the collectors for the process and
// the garbage collector do.
func (f *Family) WithoutCreated() *Family {
	f.created = false
	return f
}

func (r *Registry) add(f *Family) *Family {
	r.Update(func() { r.families = append(r.families, f) })
	return f
}

// Series is one line of a gauge or counter, or one set of lines of a histogram or
// summary.
type Series struct {
	family  *Family
	values  []string
	value   float64
	count   float64
	buckets []float64 // not cumulative; the last is +Inf
	created time.Time
}

// With returns the series with these label values, in the order of the family's label
// names, and creates it when it is new.
func (f *Family) With(values ...string) *Series {
	if len(values) != len(f.labels) {
		panic("pyprom: " + f.name + ": label values do not match label names")
	}
	for _, s := range f.series {
		if slices.Equal(s.values, values) {
			return s
		}
	}
	s := &Series{
		family: f, values: values, created: time.Now(),
		buckets: make([]float64, len(f.bounds)+1),
	}
	f.series = append(f.series, s)
	return s
}

// Set gives a gauge, or a counter whose value is kept elsewhere, its value.
func (s *Series) Set(value float64) { s.value = value }

// Add changes a gauge or counter.
func (s *Series) Add(delta float64) { s.value += delta }

// Observe records one value in a histogram or summary.
func (s *Series) Observe(value float64) {
	s.count++
	s.value += value
	at, _ := slices.BinarySearch(s.family.bounds, value)
	s.buckets[at]++
}

// Value is the value of a gauge or counter, the sum of a histogram or summary.
func (s *Series) Value() float64 { return s.value }
