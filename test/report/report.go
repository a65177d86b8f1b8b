// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// event is one line of `go test -json`; `go doc test2json` describes it.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

// id names a test of a package, or the package itself.
type id struct{ pkg, test string }

type counts struct{ passed, failed, skipped int }

type report struct {
	out      io.Writer
	started  time.Time
	module   string
	output   map[id]*strings.Builder
	packages map[string]counts
	total    counts
	failed   []string // packages
	skipped  []string // one line a test
}

func newReport(out io.Writer) *report {
	return &report{
		out:      out,
		started:  time.Now(),
		module:   "github.com/gym-otelcol/gym-otelcol/",
		output:   map[id]*strings.Builder{},
		packages: map[string]counts{},
	}
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.line(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (r *report) line(line string) {
	var e event
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		fmt.Fprint(r.out, line) // the go command itself
		return
	}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.collect(e)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.packageDone(e)
		} else {
			r.testDone(e)
		}
	}
}

func (r *report) collect(e event) {
	key := id{e.Package, e.Test}
	if r.output[key] == nil {
		r.output[key] = &strings.Builder{}
	}
	r.output[key].WriteString(e.Output)
}

// take returns the collected output of a test or package and forgets it.
func (r *report) take(key id) string {
	b := r.output[key]
	delete(r.output, key)
	if b == nil {
		return ""
	}
	return b.String()
}

func (r *report) testDone(e event) {
	text := r.take(id{e.Package, e.Test})
	c := r.packages[e.Package]
	switch e.Action {
	case "pass":
		c.passed++
	case "fail":
		c.failed++
		fmt.Fprint(r.out, withoutFrame(text))
	case "skip":
		c.skipped++
		r.skipped = append(r.skipped, fmt.Sprintf("%s (%s): %s", e.Test, r.short(e.Package), reason(text)))
	}
	r.packages[e.Package] = c
}

func (r *report) packageDone(e event) {
	text := r.take(id{e.Package, ""})
	c := r.packages[e.Package]
	r.total.passed += c.passed
	r.total.failed += c.failed
	r.total.skipped += c.skipped
	switch e.Action {
	case "fail":
		r.unfinished(e.Package)
		fmt.Fprint(r.out, text)
		r.failed = append(r.failed, r.short(e.Package))
	case "skip": // a package without test files
	default:
		line := fmt.Sprintf("ok    %-44s %6.1f s  %4d passed", r.short(e.Package), e.Elapsed, c.passed)
		if c.skipped > 0 {
			line += fmt.Sprintf(", %d skipped", c.skipped)
		}
		fmt.Fprintln(r.out, line)
	}
}

// unfinished prints what the tests said that were still running when their package
// ended, by a panic or a timeout for instance.
func (r *report) unfinished(pkg string) {
	var tests []string
	for key := range r.output {
		if key.pkg == pkg {
			tests = append(tests, key.test)
		}
	}
	slices.Sort(tests)
	for _, test := range tests {
		fmt.Fprint(r.out, withoutFrame(r.take(id{pkg, test})))
	}
}

// summary prints the last lines and tells whether all is well.
func (r *report) summary() bool {
	if len(r.skipped) > 0 {
		fmt.Fprintln(r.out, "\nskipped, so not tested here:")
		for _, line := range r.skipped {
			fmt.Fprintln(r.out, "  "+line)
		}
	}
	fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped in %.0f s\n",
		r.total.passed, r.total.failed, r.total.skipped, time.Since(r.started).Seconds())
	if len(r.failed) > 0 {
		fmt.Fprintln(r.out, "FAILED: "+strings.Join(r.failed, ", "))
		return false
	}
	if len(r.packages) == 0 {
		fmt.Fprintln(r.out, "FAILED: no test ran")
		return false
	}
	return true
}

func (r *report) short(pkg string) string {
	return strings.TrimPrefix(pkg, r.module)
}

// reason is what a test gave to t.Skip: its output without the lines of the test runner
// and without the place in the source.
func reason(text string) string {
	var said []string
	for line := range strings.Lines(withoutFrame(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- ") {
			continue
		}
		if place, rest, ok := strings.Cut(line, ": "); ok && strings.Contains(place, ".go:") {
			line = rest
		}
		said = append(said, line)
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

// withoutFrame drops the "=== RUN" lines.
func withoutFrame(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "=== ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
