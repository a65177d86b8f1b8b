// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/gym-otelcol/gym-otelcol/internal/preflight"
	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

// paint colours words, or leaves them as they are.
type paint bool

// paint colours what a person reads at a terminal that shows colours, and who has not asked
// for none (no-color.org).
func (e *env) paint() paint {
	term := e.getenv("TERM")
	return paint(isTerminal(e.stdout) && e.getenv("NO_COLOR") == "" && term != "" && term != "dumb")
}

// The sequences are all of one length, so that the columns of a table stay in line.
const (
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
	cyan    = "\x1b[36m"
	noColor = "\x1b[39m"
)

func (p paint) word(color, text string) string {
	if !p {
		return text
	}
	return color + text + noColor
}

// plain is a word above or below coloured ones.
func (p paint) plain(text string) string { return p.word(noColor, text) }

func (p paint) state(s status.State) string {
	color := noColor
	switch s {
	case status.Failed:
		color = red
	case status.Succeeded:
		color = green
	case status.Running:
		color = cyan
	case status.Queued, status.Cancelled:
		color = yellow
	}
	return p.word(color, string(s))
}

// finding is the word before what a check found, as wide as the longest of them.
func (p paint) finding(s preflight.State) string {
	color := noColor
	switch s {
	case preflight.OK:
		color = green
	case preflight.Warning:
		color = yellow
	case preflight.Failed:
		color = red
	}
	return p.word(color, fmt.Sprintf("%-7s", s))
}
