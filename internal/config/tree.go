// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strconv"
	"strings"
)

type kind int

const (
	scalar kind = iota
	list
	mapping
)

// node is a YAML value that knows where it was written. Anchors and merge keys are gone:
// every node has one place in the tree, so that an override changes that place alone.
type node struct {
	kind   kind
	at     position
	text   string  // of a scalar
	plain  bool    // scalar without quotes: null, a bool or a number if it reads like one
	items  []*node // of a list
	fields []field // of a mapping, in the order of the file

	// source is the text before interpolation, set when an environment variable went
	// into the text. Messages show the source then: the text may be a secret.
	source string
	// broken marks a value about which there is a finding already.
	broken bool
}

// field is one key of a mapping.
type field struct {
	key   string
	at    position
	value *node
}

// find returns the field called key, or nil.
func (n *node) find(key string) *field {
	if n == nil {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].key == key {
			return &n.fields[i]
		}
	}
	return nil
}

// get returns the value of key, or nil.
func (n *node) get(key string) *node {
	if f := n.find(key); f != nil {
		return f.value
	}
	return nil
}

// isNull tells whether a scalar is YAML's null.
func (n *node) isNull() bool {
	if n.kind != scalar || !n.plain {
		return false
	}
	switch n.text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// boolean reads a scalar that YAML 1.1, which upstream's loader speaks, takes for a bool.
func (n *node) boolean() (value, ok bool) {
	if n.kind != scalar || !n.plain {
		return false, false
	}
	switch n.text {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// isNumber tells whether a plain scalar reads like a JSON number.
func (n *node) isNumber() bool {
	return n.kind == scalar && n.plain && isJSONNumber(n.text)
}

// isUnset tells whether the value is the mark for "to be filled in".
func (n *node) isUnset() bool {
	return n.kind == scalar && n.plain && n.text == "???"
}

// describe names the kind of thing that a user wrote where another was expected.
func (n *node) describe() string {
	_, isBool := n.boolean()
	switch {
	case n.kind == mapping:
		return "a mapping"
	case n.kind == list:
		return "a list"
	case n.isNull():
		return "null"
	case isBool:
		return n.text
	case n.isNumber():
		return "a number"
	}
	return "text"
}

// quote is describe, but shows the text itself where it cannot be a secret: what came
// from the environment or the command line may be one.
func (n *node) quote() string {
	switch {
	case n.kind != scalar || n.isNull():
		return n.describe()
	case n.source != "":
		return "what " + shorten(n.source) + " holds"
	case n.at.file == commandLine:
		return n.describe()
	case n.isNumber():
		return shorten(n.text)
	}
	return strconv.Quote(shorten(n.text))
}

// suffix is the text for the end of a message, where it may be shown.
func (n *node) suffix() string {
	if n == nil || n.source == "" && n.at.file == commandLine {
		return ""
	}
	return ": " + n.quote()
}

func shorten(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// isJSONNumber is the number grammar of RFC 8259.
func isJSONNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	integer := digits(s)
	if integer == 0 || (integer > 1 && s[0] == '0') {
		return false
	}
	s = s[integer:]
	if strings.HasPrefix(s, ".") {
		fraction := digits(s[1:])
		if fraction == 0 {
			return false
		}
		s = s[1+fraction:]
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

// digits counts the decimal digits that s begins with.
func digits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}
