// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The YAML library says what its parser expected, in the terms of YAML's grammar, and often
// names the line where the surrounding block began. A user needs the line that is wrong and
// what is wrong with it, so its messages are taken apart here.

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
		contains: "did not find expected node content", search: true, column: firstOf("]},"),
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

// reportSyntax reports what keeps data from being YAML.
func reportSyntax(data []byte, err error, file int, r *report) {
	text, line := explain(data)
	lines := strings.Split(string(data), "\n")
	report := func(line, column int, message, hint string) {
		line = min(max(line, 1), len(lines))
		r.addf(position{file: file, line: line, column: column}, nil, "%s", message).hint = hint
	}
	at := func(line int) string { return lines[min(max(line, 1), len(lines))-1] }

	if tabbed := tabIndent(lines, text, line-1); tabbed > 0 {
		report(tabbed, strings.IndexByte(at(tabbed), '\t')+1, "a tab indents this line, YAML allows blanks only", "")
		return
	}
	if name, ok := strings.CutPrefix(text, "unknown anchor '"); ok {
		name = "*" + strings.TrimSuffix(name, "' referenced")
		found := bytes.Index(data, []byte(name))
		line := bytes.Count(data[:max(found, 0)], []byte("\n")) + 1
		report(line, columnOf(at(line), strings.Index(at(line), name)), name+" refers to an anchor that is not defined above it",
			"text that begins with * has to be quoted")
		return
	}
	if strings.Contains(text, "cannot start any token") {
		found := strings.IndexAny(at(line-1), "@`%")
		report(line-1, columnOf(at(line-1), found), "a value cannot begin with @, ` or %", "put it in quotes")
		return
	}
	for _, f := range faults {
		if !strings.Contains(text, f.contains) {
			continue
		}
		switch {
		case f.scanner:
			line--
		case f.search:
			line = firstFailing(lines, text)
		}
		message, hint := f.message, f.hint
		if f.search && afterQuote(at(line)) {
			message = "there is text after the end of a value in quotes or brackets"
			hint = "quote the whole value; within single quotes a ' is written ''"
		}
		if strings.Contains(f.contains, "expected ',' or") && hasTemplate(at(line)) {
			hint = "within [ ] and { } a ${...} has to be quoted"
		}
		report(line, f.column(at(line)), message, hint)
		return
	}
	report(line, firstText(at(line)), "this cannot be read as YAML", "")
}

// explain parses again, behind a line of comment: the library treats the first line
// specially and leaves out its number.
func explain(data []byte) (message string, line int) {
	dec := yaml.NewDecoder(bytes.NewReader(append([]byte("#\n"), data...)))
	var err error
	for err == nil {
		err = decodeNode(dec, &yaml.Node{})
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, message, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			return message, line
		}
	}
	return text, 1
}

// firstFailing finds the line at which the message appears: the shortest beginning of
// the file that causes it ends there.
func firstFailing(lines []string, message string) int {
	return 1 + sort.Search(len(lines)-1, func(i int) bool {
		text, _ := explain([]byte(strings.Join(lines[:i+1], "\n") + "\n"))
		return text == message
	})
}

// tabIndent finds the line whose indentation holds the tab that the message is about.
func tabIndent(lines []string, message string, from int) int {
	if !strings.Contains(message, "tab character") && !strings.Contains(message, "cannot start any token") {
		return 0
	}
	for i := max(from, 1) - 1; i < len(lines); i++ {
		if blank := lines[i][:firstText(lines[i])-1]; strings.Contains(blank, "\t") {
			return i + 1
		}
		if !strings.Contains(message, "tab character") {
			return 0
		}
	}
	return 0
}

// afterQuote tells whether the value of a line begins with a quote or bracket, so that
// the fault is more likely behind its end than in the indentation.
func afterQuote(line string) bool {
	_, value, ok := strings.Cut(line, ": ")
	value = strings.TrimSpace(value)
	return ok && value != "" && strings.Contains(`'"[{`, value[:1])
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
