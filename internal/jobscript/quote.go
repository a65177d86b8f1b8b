// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"fmt"
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
	return word, nil
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
