// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "strings"

// decode reads the value of an environment variable: text with an optional prefix.
func (e *EnvVar) decode(d *decoder, n *node, p keyPath) {
	switch {
	case n.isNull():
		d.addf(n.at, p, "expected text, found null").hintf(`the empty text is written ""`)
		return
	case !d.isScalar(n, p, "text"):
		return
	}
	*e = parseEnvVar(n.text)
	if e.Source != EnvLiteral && !isEnvName(e.Value) {
		// What stands there may be the secret itself, so it is not shown.
		d.addf(n.at, p, "%s: needs the name of an environment variable", e.Source).
			hintf("lit: marks text that begins with %s:", e.Source)
	}
}

func parseEnvVar(text string) EnvVar {
	prefix, rest, ok := strings.Cut(text, ":")
	switch source := EnvSource(prefix); {
	case ok && (source == EnvLiteral || source == EnvHost || source == EnvRuntime):
		return EnvVar{Source: source, Value: rest}
	default:
		// The first upstream schema knew no prefixes.
		return EnvVar{Source: EnvLiteral, Value: text}
	}
}

// String is the value as it stands in a submit file.
func (e EnvVar) String() string {
	return string(e.Source) + ":" + e.Value
}

// isEnvName tells whether a shell takes s for the name of a variable.
func isEnvName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
