// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"unicode/utf8"
)

// fault says how one message of the library is to be told.
type fault struct {
	contains string // part of the library's message
	scanner  bool   // its scanner counts lines from 0, its parser from 1
	search   bool   // the named line is where the block begins: look for the wrong one
	column   func(line string) int
	message  string
	hint     string
}

var faults = []fault{
	{
		contains: "mapping values are not allowed", scanner: true, column: secondColon,
		message: "there is a `: ` where no key can begin",
		hint:    "text that holds a colon and a blank has to be quoted; otherwise check the indentation",
	},
	{
		contains: "could not find expected ':'", scanner: true, column: firstText,
		message: "this line is no `key: value`",
		hint:    "a colon is missing, or the line belongs to the text above it and has to be indented",
	},
	{
		contains: "did not find expected key", search: true, column: firstText,
		message: "this line does not fit into the mapping above it",
		hint:    "its keys have to begin in one column",
	},
	{
		contains: "did not find expected '-' indicator", search: true, column: firstText,
		message: "this line does not fit into the list above it",
		hint:    "each item begins with `- `, all in one column",
	},
	{
		contains: "did not find expected ',' or ']'", column: firstOf("["),
		message: "the list that begins here with [ is not complete",
		hint:    "separate its items with a comma and end it with ]",
	},
	{
		contains: "did not find expected ',' or '}'", column: firstOf("{"),
		message: "the mapping that begins here with { is not complete",
		hint:    "separate its keys with a comma and end it with }; a value that begins with { has to be quoted",
	},
	{
		contains: "found unexpected end of stream", scanner: true, column: openQuote,
		message: "the quoted text that begins here has no closing quote",
	},
	{
		contains: "found unexpected document indicator", scanner: true, column: openQuote,
		message: "the quoted text that begins here has no closing quote before the next `---` or `...`",
	},
	{
		contains: "block sequence entries are not allowed", scanner: true, column: firstDash,
		message: "a list cannot begin on the line of its key",
		hint:    "put each `- ` on a line of its own; text that begins with `- ` has to be quoted",
	},
	{
		contains: "mapping keys are not allowed", scanner: true, column: firstOf("?"),
		message: "a value cannot begin with `? `", hint: "put it in quotes",
	},
	{
		contains: "escape", scanner: true, column: firstOf(`\`),
		message: "there is an unknown escape after a backslash in double quotes",
		hint:    "use single quotes, or write \\\\ for a backslash",
	},
	{
		contains: "hexdecimal number", scanner: true, column: firstOf(`\`),
		message: "there is an incomplete escape after a backslash in double quotes",
		hint:    "use single quotes, or write \\\\ for a backslash",
	},
	{
		contains: nodeContent, search: true, column: firstOf("]},"),
		message: "a value cannot begin with ], } or a comma", hint: "put it in quotes",
	},
	{
		contains: "alphabetic or numeric character", scanner: true, column: firstOf("&*"),
		message: "a value cannot begin with & or * unless it is an anchor", hint: "put it in quotes",
	},
	{
		contains: "expected comment or line break", scanner: true, column: firstOf("|>"),
		message: "after | or > the text has to begin on the next line",
		hint:    "text that begins with | or > has to be quoted",
	},
	{
		contains: "tag", column: firstOf("!"),
		message: "a value cannot begin with ! unless it is a tag", hint: "put it in quotes",
	},
	{
		contains: "exceeded max depth", column: firstText,
		message: "the file is too deeply nested",
	},
}

// The functions below find the column, from 1, of what a message is about.

func firstText(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t")) + 1
}

func firstOf(chars string) func(string) int {
	return func(line string) int { return columnOf(line, strings.IndexAny(line, chars)) }
}

// openQuote finds the quote that begins a value and is not closed in the same line.
func openQuote(line string) int {
	for i := 0; i < len(line); i++ {
		begins := i == 0 || strings.IndexByte(" \t[{,", line[i-1]) >= 0
		if !begins || (line[i] != '\'' && line[i] != '"') {
			continue
		}
		end := strings.IndexByte(line[i+1:], line[i])
		if end < 0 {
			return columnOf(line, i)
		}
		i += 1 + end
	}
	return firstText(line)
}

func firstDash(line string) int { return columnOf(line, strings.Index(line, "- ")) }

func secondColon(line string) int {
	first := strings.Index(line, ": ")
	if first < 0 {
		return firstText(line)
	}
	if second := strings.Index(line[first+1:], ":"); second >= 0 {
		first += 1 + second
	}
	return columnOf(line, first)
}

// columnOf counts characters, as editors do. A place that was not found is the first text.
func columnOf(line string, offset int) int {
	if offset < 0 {
		return firstText(line)
	}
	return utf8.RuneCountInString(line[:offset]) + 1
}
