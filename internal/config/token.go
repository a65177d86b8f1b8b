// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxToken is what a pipe takes in any case without a reader.
const maxToken = 4096

// TokenComplaint complains about a token that is missing or cannot arrive as it is. It never
// shows any of it.
func (c *Config) TokenComplaint(opt Options) string {
	name := c.Otel.TokenEnv
	token, set := opt.lookupEnv(name)
	switch {
	case !set:
		return fmt.Sprintf("the environment variable %s, which has to hold the token, is not set", name)
	case strings.TrimSpace(token) == "":
		return fmt.Sprintf("the environment variable %s, which has to hold the token, is blank", name)
	}
	if complaint := uncarriable(token); complaint != "" {
		return fmt.Sprintf("the token in the environment variable %s %s", name, complaint)
	}
	return ""
}

func uncarriable(token string) string {
	for _, r := range token {
		switch {
		case r < ' ' || r == 0x7f:
			return "holds a line end or another control character, which no HTTP header can carry"
		case r > 0x7f:
			return "holds a character that is not ASCII, which no HTTP header can carry"
		}
	}
	switch {
	case strings.Trim(token, " ") != token:
		return "begins or ends with a blank, which an HTTP header would lose"
	case len(token) > maxToken:
		return fmt.Sprintf("has more than %d characters, which no HTTP server takes", maxToken)
	case !collectorCanRead(token):
		return "cannot stand in the collector's configuration: read as YAML it is a number beyond 63 bits, " +
			"or a mapping whose keys are no text"
	}
	return ""
}

// collectorCanRead tells whether the collector can take a text from a variable. It reads the
// text as YAML first, even where it then uses the text itself, and stops at types that it
// does not know.
func collectorCanRead(text string) bool {
	var value any
	if yaml.Unmarshal([]byte(strings.ReplaceAll(text, "$", "$$")), &value) != nil {
		return true // no YAML: then it is text
	}
	return knownType(value)
}

func knownType(value any) bool {
	unknown := func(v any) bool { return !knownType(v) }
	switch v := value.(type) {
	case nil, string, bool, int, int64, float64, time.Time:
		return true
	case []any:
		return !slices.ContainsFunc(v, unknown)
	case map[string]any:
		for _, e := range v {
			if unknown(e) {
				return false
			}
		}
		return true
	}
	return false
}
