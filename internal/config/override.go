// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// override applies one `key=value` of the command line.
func override(root *node, text string, at position, r *report) {
	key, value, ok := strings.Cut(text, "=")
	key = strings.TrimLeft(strings.TrimSpace(key), "+")
	if !ok {
		r.addf(at, nil, "%q is no override", key).hintf("write key=value")
		return
	}
	if strings.HasPrefix(key, "~") {
		r.addf(at, nil, "%s=…: keys cannot be removed", key).hintf("write null as the value")
		return
	}
	names, ok := parsePath(key)
	if !ok {
		r.addf(at, nil, "%s=…: the key is not a path of names", key).
			hintf("write it like services.policy.port or driver.mounts[0]")
		return
	}
	n := overrideValue(value, at, names, r)
	if n == nil {
		return
	}
	set(root, names, n, r)
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
	var doc yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(value))
	err := decodeNode(dec, &doc)
	if err != nil || len(doc.Content) != 1 || !isFlow(doc.Content[0]) {
		r.addf(at, path(names...), "the value begins like a list, a mapping or quoted text in YAML, but is not one").
			hintf("put the whole value in quotes, within those of the shell: key='\"…\"'")
		return nil
	}
	c := converter{report: r, fixed: &at, open: map[*yaml.Node]bool{}}
	return c.node(doc.Content[0], at, path(names...))
}

// isFlow tells a value that ends where it seems to end from `"a": b`.
func isFlow(n *yaml.Node) bool {
	return n.Style&(yaml.FlowStyle|yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// set puts value at the key, making the mappings above it.
func set(root *node, names []string, value *node, r *report) {
	at, p := value.at, keyPath(nil)
	for cur := root; ; {
		if cur.isNull() {
			*cur = node{kind: mapping, at: at}
		}
		slot, used := cur.child(names)
		switch {
		case slot != nil && used == len(names):
			*slot = merge(*slot, value)
			return
		case slot != nil:
			p = p.key(strings.Join(names[:used], "."))
			cur, names = *slot, names[used:]
		case cur.kind == mapping && len(names) == 1:
			cur.fields = append(cur.fields, field{key: names[0], at: at, value: value})
			return
		case cur.kind == mapping:
			next := &node{kind: mapping, at: at}
			cur.fields = append(cur.fields, field{key: names[0], at: at, value: next})
			p = p.key(names[0])
			cur, names = next, names[1:]
		case cur.kind == list:
			r.addf(at, p.key(names[0]), "the list has no item %s", names[0]).
				hintf("it has %d, the first is 0; give the whole list to change their number", len(cur.items))
			return
		case hasTemplate(cur.text):
			r.addf(at, p.key(names[0]), "%s is a reference in the file", p).hintf("set the key that it refers to")
			return
		default:
			r.addf(at, p.key(names[0]), "%s is no mapping", p)
			return
		}
	}
}

// child finds where names leads, one level down. Names of services and benchmarks may hold
// dots, so that the longest key that fits is taken. It returns how many names that took.
func (n *node) child(names []string) (slot **node, used int) {
	switch n.kind {
	case mapping:
		for used = len(names); used > 0; used-- {
			if f := n.find(strings.Join(names[:used], ".")); f != nil {
				return &f.value, used
			}
		}
	case list:
		if index, err := strconv.Atoi(names[0]); err == nil && index >= 0 && index < len(n.items) {
			return &n.items[index], 1
		}
	}
	return nil, 0
}
