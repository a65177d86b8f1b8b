// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/gym-otelcol/gym-otelcol/internal/tokenfile"
)

// UsesFile tells whether the token is in a file of the compute node, and not in a variable of the shell.
func (o Otel) UsesFile() bool { return o.TokenFile != nil }

// TokenComplaint complains about a token that is missing or cannot arrive as it is. It never
// shows any of it.
func (c *Config) TokenComplaint(opt Options) string {
	return ComplaintOf(c.Otel.TokenEnv, opt)
}

// ComplaintOf is TokenComplaint for the variable of that name.
func ComplaintOf(name string, opt Options) string {
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

// checkToken looks for the token itself in what was written: as a variable of another name, or
// pasted. All values get into files, and some into arguments.
func (c *Config) checkToken(opt Options, r *report) {
	const shortest = 8 // or a word of the file might be taken for it
	if !c.CollectorActive() || c.Otel.UsesFile() {
		return
	}
	var usual Otel
	usual.setDefaults()
	// Whoever writes token_env=$OTEL_TOKEN names no variable, but has the usual one.
	for _, name := range []string{c.Otel.TokenEnv, usual.TokenEnv} {
		if value, _ := opt.lookupEnv(name); len(value) >= shortest {
			findToken(c.origin.root, nil, value, r)
			return
		}
	}
}

func findToken(n *node, p keyPath, token string, r *report) {
	const hint = "the collector gets the token without this, from the variable that otel.token_env names"
	if n.kind == scalar && strings.Contains(n.text, token) {
		r.addf(n.at, p, "holds the token itself, which must not get into a file").hintf(hint)
	}
	for i, item := range n.items {
		findToken(item, p.item(i), token, r)
	}
	for _, f := range n.fields {
		if strings.Contains(f.key, token) {
			r.addf(f.at, p, "the name of a key below it holds the token itself, which must not get into a file").hintf(hint)
			continue
		}
		findToken(f.value, p.key(f.key), token, r)
	}
}

// uncarriable also knows what the way through the collector's configuration spoils.
func uncarriable(token string) string {
	if complaint := tokenfile.Complaint(token); complaint != "" {
		return complaint
	}
	if !collectorCanRead(token) {
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
