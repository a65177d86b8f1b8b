// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// quote writes s as one word of bash. It fails for text that no argument can hold (NUL).
func quote(s string) (string, error) {
	word, err := syntax.Quote(s, syntax.LangBash)
	if err != nil {
		return "", fmt.Errorf("quote %q for the shell: %w", s, err)
	}
	if strings.HasPrefix(word, "$'") {
		word = escape.ReplaceAllStringFunc(word, inBytes)
	}
	return word, nil
}

// escape is a pair that begins with a backslash in $'…', or the number of a character.
var escape = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)`)

// inBytes writes the number of a character as the bytes of its UTF-8: what \u stands for
// depends on the locale, and in the C locale of many jobs it stands for itself.
func inBytes(pair string) string {
	number, err := strconv.ParseInt(pair[2:], 16, 32)
	if err != nil || len(pair) == 2 {
		return pair
	}
	var b strings.Builder
	for _, c := range []byte(string(rune(number))) {
		fmt.Fprintf(&b, `\x%02x`, c)
	}
	return b.String()
}

// quoteAll quotes every word.
func quoteAll(words ...string) ([]string, error) {
	quoted := make([]string, 0, len(words))
	for _, w := range words {
		q, err := quote(w)
		if err != nil {
			return nil, err
		}
		quoted = append(quoted, q)
	}
	return quoted, nil
}

// quoteLines quotes the words of every line and joins them.
func quoteLines(lines [][]string) ([]string, error) {
	var quoted []string
	for _, words := range lines {
		line, err := quoteAll(words...)
		if err != nil {
			return nil, err
		}
		quoted = append(quoted, strings.Join(line, " "))
	}
	return quoted, nil
}

// assignments writes an env mapping as NAME=VALUE words for `export`. Values that live in
// the submitting shell or the job are references: the script holds none of them.
func assignments(env config.Map[config.EnvVar]) ([]string, error) {
	var lines []string
	for _, e := range env {
		if e.Value.Source != config.EnvLiteral {
			lines = append(lines, fmt.Sprintf(`%s="${%s:-}"`, e.Name, e.Value.Value))
			continue
		}
		value, err := quote(e.Value.Value)
		if err != nil {
			return nil, fmt.Errorf("env %s: %w", e.Name, err)
		}
		lines = append(lines, e.Name+"="+value)
	}
	return lines, nil
}
