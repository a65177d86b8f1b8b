// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The YAML library says what its parser expected, in the terms of YAML's grammar, and often
// names the line where the surrounding block began. A user needs the line that is wrong and
// what is wrong with it, so its messages are taken apart here.

// reportSyntax reports what keeps data from being YAML.
func reportSyntax(data []byte, file int, r *report) {
	text, line := explain(data)
	lines := splitLines(data)
	report := func(line, column int, message, hint string) {
		line = min(max(line, 1), len(lines))
		r.addf(position{file: file, line: line, column: column}, nil, "%s", message).hint = hint
	}
	at := func(line int) string { return lines[min(max(line, 1), len(lines))-1] }

	if reportLookalike(lines[:min(max(line, 1), len(lines))], report) {
		return
	}
	if tabbed := tabIndent(lines, text, line-1); tabbed > 0 {
		report(tabbed, strings.IndexByte(at(tabbed), '\t')+1, "a tab indents this line, YAML allows blanks only", "")
		return
	}
	if name, ok := strings.CutPrefix(text, "unknown anchor '"); ok {
		name = "*" + strings.TrimSuffix(name, "' referenced")
		found := bytes.Index(data, []byte(name))
		line := len(splitLines(data[:max(found, 0)]))
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
		switch {
		case f.contains == nodeContent && !strings.ContainsAny(at(line), "]},"):
			report(line, columnOf(at(line), strings.IndexAny(at(line), "[{")), "the file ends within [ or {", "")
			return
		case f.search && afterQuote(at(line)):
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

// nodeContent is what the library says where a value is missing.
const nodeContent = "did not find expected node content"

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
// the fault is more likely behind its end than in the indentation. A line that can be read
// by itself has no such fault.
func afterQuote(line string) bool {
	_, value, ok := strings.Cut(line, ": ")
	value = strings.TrimSpace(value)
	return ok && value != "" && strings.Contains(`'"[{`, value[:1]) &&
		yaml.Unmarshal([]byte(strings.TrimSpace(line)), &yaml.Node{}) != nil
}
