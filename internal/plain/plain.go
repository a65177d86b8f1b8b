// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package plain makes what other programs and servers say fit to be shown and stored: it is theirs, and may hold
// anything.
package plain

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape is what terminals take for an order: colours, moves, titles.
var escape = regexp.MustCompile(`\x1b(?:\[[\x20-\x3f]*[\x40-\x7e]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x40-\x5f])`)

// Text is valid UTF-8 without anything that moves the cursor of a terminal, but for white space.
func Text(text string) string {
	return strings.Map(shown, escape.ReplaceAllString(strings.ToValidUTF8(text, "?"), ""))
}

func shown(r rune) rune {
	if unicode.IsPrint(r) || unicode.IsSpace(r) {
		return r
	}
	return '?'
}

// Begin is at most the first limit bytes, and whole characters.
func Begin(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// End is at most the last limit bytes, and whole characters.
func End(text string, limit int) string {
	from := max(0, len(text)-limit)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}
