// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"an error\n\tof é":                  "an error\n\tof é",
		"\x1b[31mred\x1b[0m \x1b[2J\x1b[Hx": "red x",
		"\x1b]0;title\x07x\x1bMy":           "xy",
		"a\x00\x08\xffb":                    "a???b",
		"\x1b":                              "?",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\xff é", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = min(max(limit, 0), 1000)
		got := Text(text)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\x00\x07") {
			t.Errorf("%q", got)
		}
		for _, part := range []string{Begin(got, limit), End(got, limit)} {
			if len(part) > limit || !utf8.ValidString(part) || !strings.Contains(got, part) {
				t.Errorf("part %q of %q, limit %d", part, got, limit)
			}
		}
	})
}
