// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// yamlWriter writes block YAML that YAML 1.1 and 1.2 readers understand alike: whatever
// is text and could be taken for something else is quoted.
type yamlWriter struct{ bytes.Buffer }

// block writes a mapping or list that is not empty. With inline its first line goes on
// where the writer stands, behind a dash.
func (w *yamlWriter) block(n *node, indent int, inline bool) {
	margin := strings.Repeat(" ", indent)
	for i, f := range n.fields {
		if i > 0 || !inline {
			w.WriteString(margin)
		}
		key := yamlKey(f.key)
		if len(key) > 500 { // beyond 1024 a parser gives up looking for the colon
			key = "? " + key + "\n" + margin
		}
		w.WriteString(key + ":")
		if f.value.isBlock() {
			w.WriteByte('\n')
			w.block(f.value, indent+2, false)
			continue
		}
		w.WriteByte(' ')
		w.scalar(f.value, indent)
	}
	for i, item := range n.items {
		if i > 0 || !inline {
			w.WriteString(margin)
		}
		w.WriteString("- ")
		if item.isBlock() {
			w.block(item, indent+2, true)
			continue
		}
		w.scalar(item, indent)
	}
}

// isBlock tells a value that needs lines of its own.
func (n *node) isBlock() bool { return len(n.fields) > 0 || len(n.items) > 0 }

// scalar writes a scalar or an empty container, and ends the line.
func (w *yamlWriter) scalar(n *node, indent int) {
	word, ok := n.word()
	text := escapeTemplate(n.text)
	switch {
	case n.kind == mapping:
		w.WriteString("{}")
	case n.kind == list:
		w.WriteString("[]")
	case ok:
		w.WriteString(word)
	case isBare(text):
		w.WriteString(text)
	case isLiteral(text):
		w.literal(text, strings.Repeat(" ", indent+2))
		return
	default:
		w.WriteString(yamlQuote(text))
	}
	w.WriteByte('\n')
}

// literal writes text of several lines as it is.
func (w *yamlWriter) literal(text, margin string) {
	body, ends := strings.CutSuffix(text, "\n")
	if ends {
		w.WriteString("|\n")
	} else {
		w.WriteString("|-\n")
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.WriteString(margin + line)
		}
		w.WriteByte('\n')
	}
}

// isLiteral tells text whose lines can stand as they are: the first is not indented, none
// is blanks alone, and there is one line end at most behind the last.
func isLiteral(s string) bool {
	if !strings.Contains(s, "\n") {
		return false
	}
	body := strings.TrimSuffix(s, "\n")
	for i, line := range strings.Split(body, "\n") {
		blank := strings.Trim(line, " \t") == ""
		if blank && line != "" || i == 0 && (blank || line[0] == ' ' || line[0] == '\t') {
			return false
		}
		for _, r := range line {
			if r != '\t' && !isPrintable(r) {
				return false
			}
		}
	}
	return !strings.HasSuffix(body, "\n")
}

// isBare tells text that no reader takes for anything but text. It is on the safe side.
func isBare(s string) bool {
	if s == "" || len(s) > 1 && s[len(s)-1] == ' ' {
		return false
	}
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	if !letter(s[0]) && s[0] != '_' && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		digit := c >= '0' && c <= '9'
		// A colon or # next to a blank would end the text.
		atEdge := i+1 == len(s) || s[i+1] == ' ' || s[i-min(i, 1)] == ' '
		if !letter(c) && !digit && strings.IndexByte(" _/.@+=~,;()$%-", c) < 0 && (c != ':' || atEdge) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}

func yamlKey(s string) string {
	if isBare(s) {
		return s
	}
	return yamlQuote(s)
}

// yamlQuote writes text in double quotes, on one line.
func yamlQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case isPrintable(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isPrintable leaves out what YAML or an editor might take for a line end or for nothing.
func isPrintable(r rune) bool { return unicode.IsPrint(r) && r != '\uFFFD' }
