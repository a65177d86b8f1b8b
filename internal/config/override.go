// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// mode is what an override may do, by what stands before its key.
type mode string

const (
	modeSet    mode = ""   // sets a key, whether the files have it or not
	modeAdd    mode = "+"  // adds a key that the files do not have
	modeForce  mode = "++" // either
	modeRemove mode = "~"  // takes a key away; with a value, only that value
)

// change is one override of the command line that is about a key.
type change struct {
	mode  mode
	names []string
	value *node // nil for ~key
	at    position
}

// overrides reads the words of the command line. Those that choose the option of a config
// group are kept for the defaults lists, the others are returned.
func (c *composer) overrides(words []string) []change {
	var changes []change
	for i, word := range words {
		at := position{file: commandLine, line: i + 1}
		if ch, ok := c.override(word, at); ok {
			changes = append(changes, ch)
		}
	}
	return changes
}

func (c *composer) override(text string, at position) (ch change, ok bool) {
	key, value, hasValue := strings.Cut(text, "=")
	ch.at = at
	ch.mode, key = cutMode(key)
	if !hasValue && ch.mode != modeRemove {
		c.report.addf(at, nil, "%q is no override", key).hintf("write key=value")
		return ch, false
	}
	group, _, _ := strings.Cut(key, "@")
	if dirs, isGroup := c.groupDir(group); isGroup && c.isChoice(key, value, ch.mode) {
		c.choose(key, value, hasValue, ch, dirs)
		return ch, false
	}
	if ch.names, ok = parsePath(key); !ok {
		c.report.addf(at, nil, "%s=…: the key is not a path of names", key).
			hintf("write it like services.policy.port or driver.mounts[0]")
		return ch, false
	}
	if hasValue {
		ch.value = overrideValue(value, at, ch.names, c.report)
		return ch, ch.value != nil
	}
	return ch, true
}

func cutMode(key string) (mode, string) {
	key = strings.TrimSpace(key)
	for _, m := range []mode{modeForce, modeAdd, modeRemove} {
		if rest, ok := strings.CutPrefix(key, string(m)); ok {
			return m, rest
		}
	}
	return modeSet, key
}

// isChoice tells `compute=other` from `compute={…}` and from what can be about a key only.
func (c *composer) isChoice(key, value string, m mode) bool {
	value = strings.TrimSpace(value)
	return m != modeForce && !strings.HasPrefix(value, "{") && (m == modeRemove || value != "null" || strings.Contains(key, "/"))
}

// choose keeps an option for the defaults lists.
func (c *composer) choose(key, value string, hasValue bool, ch change, dirs []string) {
	made := &choice{key: key, at: ch.at, path: path(key), dirs: dirs}
	var option *node
	if hasValue {
		if option = overrideValue(value, ch.at, []string{key}, c.report); option == nil {
			return
		}
	}
	switch ch.mode {
	case modeRemove:
		made.only = option
		c.chosen[key] = made
	case modeAdd:
		made.option = option
		c.added = append(c.added, made)
	default:
		made.option = option
		c.chosen[key] = made
	}
}

// overrideValue reads the value as YAML: a list, a mapping, quoted text, or the word as it
// stands. An empty value is the empty text.
func overrideValue(value string, at position, names []string, r *report) *node {
	value = strings.TrimSpace(value)
	if value == "" || strings.IndexByte(`[{"'`, value[0]) < 0 {
		if !readable([]byte(value), at.file, &report{}) {
			r.addf(at, path(names...), "the value is no printable text")
			return nil
		}
		return &node{at: at, text: value, plain: value != ""}
	}
	if value[0] == '{' || value[0] == '[' {
		value = spacePairs(value)
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(value))
	err := decodeNode(dec, &doc)
	if err != nil || len(doc.Content) != 1 || !isFlow(doc.Content[0]) {
		r.addf(at, path(names...), "the value begins like a list, a mapping or quoted text in YAML, but is not one").
			hintf("put the whole value in quotes, within those of the shell: key='\"…\"'")
		return nil
	}
	c := converter{report: r, fixed: &at, open: map[*yaml.Node]bool{}}
	splitTightPairs(doc.Content[0])
	return c.node(doc.Content[0], at, path(names...))
}

// isFlow tells a value that ends where it seems to end from `"a": b`.
func isFlow(n *yaml.Node) bool {
	return n.Style&(yaml.FlowStyle|yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// splitTightPairs reads `{a:1,b:2}`, which Hydra's users write, as Hydra does: YAML wants a
// blank behind the colon and takes `a:1` for a key without a value.
func splitTightPairs(n *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			splitTightPairs(child)
			continue
		}
		key, text, tight := strings.Cut(child.Value, ":")
		if value := n.Content[i+1]; tight && isPlain(child) && isPlain(value) && value.Value == "" {
			child.Value, child.Tag = key, ""
			n.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Value: text}
		}
	}
}

func isPlain(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 }

// spacePairs puts the blank where the value behind the colon is a list, a mapping or quoted
// text, which YAML cannot read without it.
func spacePairs(text string) string {
	var b strings.Builder
	var quote byte
	for i := range len(text) {
		c := text[i]
		b.WriteByte(c)
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case (c == '"' || c == '\'') && strings.IndexByte("[{,: ", text[max(i-1, 0)]) >= 0:
			quote = c
		case c == ':' && i+1 < len(text) && strings.IndexByte("[{\"'", text[i+1]) >= 0:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
