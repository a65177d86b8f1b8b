// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Marshal writes the resolved configuration as YAML: every key of the schema with its
// value. Load reads it back to an equal Config.
func (c *Config) Marshal() ([]byte, error) {
	var w yamlWriter
	w.block(encode(reflect.ValueOf(*c)), 0, false)
	return w.Bytes(), nil
}

// JSON writes the same keys in the same order as JSON. Text stands there as it is: the
// `${` that YAML needs escaped for another Load is not.
func (c *Config) JSON() ([]byte, error) {
	var b bytes.Buffer
	if err := writeJSON(&b, encode(reflect.ValueOf(*c))); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// MarshalJSON makes a Config a part of other JSON.
func (c *Config) MarshalJSON() ([]byte, error) { return c.JSON() }

func writeJSON(b *bytes.Buffer, n *node) error {
	switch n.kind {
	case scalar:
	case mapping:
		b.WriteByte('{')
		for i, f := range n.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSONText(b, f.key); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := writeJSON(b, f.value); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case list:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	if word, ok := n.word(); ok {
		b.WriteString(word)
		return nil
	}
	return writeJSONText(b, n.text)
}

// writeJSONText leaves <, > and & alone, which encoding/json escapes for HTML.
func writeJSONText(b *bytes.Buffer, s string) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n"))
	return nil
}

// word is a scalar that is no text, spelled as JSON and all versions of YAML spell it.
func (n *node) word() (string, bool) {
	if n.isNull() {
		return "null", true
	}
	if value, ok := n.boolean(); ok {
		if value {
			return "true", true
		}
		return "false", true
	}
	// A longer number would not survive in readers that make a float of it.
	const exact = 15
	return n.text, n.isNumber() && len(n.text) <= exact
}
