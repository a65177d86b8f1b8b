// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// CommandLine is the File of a Problem that an override caused.
const CommandLine = "command line"

// Problem is one thing that is wrong with a submit file, and where.
type Problem struct {
	File    string `json:"file"` // as given on the command line, or CommandLine
	Line    int    `json:"line"` // from 1; 0 for the command line
	Column  int    `json:"column"`
	Path    string `json:"key"` // such as services.policy.port; may be empty
	Message string `json:"message"`
	Hint    string `json:"hint"` // what to do instead; may be empty
}

// String is the line that a user reads.
func (p Problem) String() string {
	var b strings.Builder
	switch {
	case p.File == CommandLine:
		b.WriteString(CommandLine + ": ")
	case p.File != "":
		b.WriteString(p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + ": ")
	}
	if p.Path != "" {
		b.WriteString(p.Path)
		// The value is left out on purpose: it may be a secret.
		if p.File == CommandLine {
			b.WriteString("=…")
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Problems is everything that is wrong, in the order of the files.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// position is a place in one of the sources.
type position struct {
	file         int // index of the source, or commandLine
	line, column int // for the command line: line is the number of the override
}

// commandLine sorts what an override caused behind what the files say.
const commandLine = math.MaxInt

func (p position) compare(q position) int {
	for _, d := range []int{p.file - q.file, p.line - q.line, p.column - q.column} {
		if d != 0 {
			return d
		}
	}
	return 0
}

// finding is a Problem whose place is not yet put into words.
type finding struct {
	at            position
	path          keyPath
	message, hint string
}

// hintf adds what to do instead.
func (f *finding) hintf(format string, args ...any) {
	f.hint = printable(fmt.Sprintf(format, args...))
}

// report collects all findings of one Load.
type report struct {
	names []string // of the sources
	found []*finding
}

func (r *report) addf(at position, p keyPath, format string, args ...any) *finding {
	f := &finding{at: at, path: p, message: printable(fmt.Sprintf(format, args...))}
	r.found = append(r.found, f)
	return f
}

// place puts a position into words.
func (r *report) place(at position) string {
	if at.file == commandLine {
		return "the " + CommandLine
	}
	return fmt.Sprintf("%s:%d:%d", r.names[at.file], at.line, at.column)
}

// problems sorts the findings and drops repetitions: what is written once is
// reported once, in however many places an anchor or a reference puts it.
func (r *report) problems() Problems {
	slices.SortStableFunc(r.found, func(a, b *finding) int { return a.at.compare(b.at) })
	var out Problems
	seen := map[Problem]bool{} // with the last key alone as path
	for _, f := range r.found {
		p := Problem{Path: f.path.String(), Message: f.message, Hint: f.hint}
		switch {
		case f.at.file == commandLine:
			p.File = CommandLine
		case f.at.line > 0: // a Config that was not loaded has no places
			p.File, p.Line, p.Column = r.names[f.at.file], f.at.line, f.at.column
		}
		key := p
		if n := len(f.path); n > 0 && p.File != CommandLine {
			key.Path = f.path[n-1:].String()
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	return out
}

// err is nil when nothing was found.
func (r *report) err() error {
	if ps := r.problems(); len(ps) > 0 {
		return ps
	}
	return nil
}
