// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strconv"
	"strings"
)

// parseInt reads a whole number. What other readers of YAML would turn into a number that
// a user may not expect is refused: 010, 0x10, 1e3.
func parseInt(text string) (int, string) {
	s := strings.TrimSpace(text)
	unsigned := strings.TrimLeft(s, "+-")
	if len(s)-len(unsigned) > 1 {
		return 0, "expected a whole number"
	}
	plain := strings.ReplaceAll(unsigned, "_", "")
	switch {
	case strings.HasPrefix(unsigned, "_") || strings.HasSuffix(unsigned, "_") || strings.Contains(unsigned, "__"):
		return 0, "expected a whole number"
	case plain == "" || digits(plain) == 0:
		return 0, "expected a whole number"
	case digits(plain) < len(plain):
		return 0, "expected a whole number in decimal digits"
	case len(plain) > 1 && plain[0] == '0':
		return 0, "expected a whole number without leading zeros"
	}
	value, err := strconv.Atoi(plain)
	if err != nil || value > 1<<31-1 {
		return 0, "expected a smaller number"
	}
	if s[0] == '-' {
		value = -value
	}
	return value, ""
}

// parseBool reads all that upstream takes for a bool.
func parseBool(text string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "on", "1", "y", "t":
		return true, true
	case "false", "no", "off", "0", "n", "f":
		return false, true
	}
	return false, false
}
