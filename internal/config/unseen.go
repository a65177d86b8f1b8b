// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is pasted from a web page or a chat may hold characters that look like a blank, or like
// nothing, and are neither to YAML nor to Slurm.

// unseen finds the first such character.
func unseen(s string) (c rune, found bool) {
	const joiner, wideBlank = '\u200d', '\u3000' // parts of emoji and of Japanese text
	for _, c := range s {
		if c >= 0x80 && c != joiner && c != wideBlank && unicode.In(c, unicode.Cf, unicode.Zs) {
			return c, true
		}
	}
	return 0, false
}

// noUnseen refuses them where no name or address has them.
func noUnseen(s string) string {
	if c, found := unseen(s); found {
		return fmt.Sprintf("holds U+%04X, which cannot be seen", c)
	}
	return ""
}

const pastedHint = "type it anew if it was pasted"

// warnOfUnseen looks at all values: in a text they may be meant.
func (v *validator) warnOfUnseen(n *node, p keyPath) {
	if c, found := unseen(n.text); found && v.ok(p) {
		v.warnf(p, "holds U+%04X, which looks like a blank or like nothing and is neither", c).hintf(pastedHint)
	}
	for i, item := range n.items {
		v.warnOfUnseen(item, p.item(i))
	}
	for _, f := range n.fields {
		v.warnOfUnseen(f.value, p.key(f.key))
	}
}

// lookalike is such a character where YAML wants a blank, and a colon that is none.
var lookalike = regexp.MustCompile(`^(?: *|[ -]*[\w."'-]+:[ ]*)([\x{00a0}\x{2000}-\x{200b}\x{202f}\x{3000}])|^[ -]*[\w.-]+(\x{ff1a})`)

// reportLookalike reports the first one in the lines, if there is one.
func reportLookalike(lines []string, report func(line, column int, message, hint string)) bool {
	for i, line := range lines {
		match := lookalike.FindStringSubmatchIndex(line)
		if match == nil {
			continue
		}
		what, at := "blank", match[2]
		if at < 0 {
			what, at = "colon", match[4]
		}
		c, _ := utf8.DecodeRuneInString(line[at:])
		report(i+1, columnOf(line, at), fmt.Sprintf("the %s here is U+%04X, which is none to YAML", what, c), pastedHint)
		return true
	}
	return false
}

// noBlanks refuses what would make two words of one.
func noBlanks(s string) string {
	if strings.ContainsAny(s, " \t") {
		return "holds a blank"
	}
	return noUnseen(s)
}
