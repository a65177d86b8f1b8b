// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// apply changes the tree.
func (ch *change) apply(root *node, c *composer) {
	slot, p, rest := descend(&root, ch.names)
	switch {
	case ch.mode == modeRemove:
		ch.remove(root, slot, p, rest, c)
	case ch.mode == modeAdd && len(rest) == 0 && holds(*slot) && ch.value.kind == scalar:
		c.report.addf(ch.at, p, "is set already%s", c.report.where((*slot).at)).hintf("leave the + out to change it")
	default:
		ch.set(slot, p, rest, c.report)
	}
}

// holds tells a value from a place that waits for one.
func holds(n *node) bool { return !n.isNull() && !n.isUnset() }

// where names the place of a value, for the inside of a message.
func (r *report) where(at position) string {
	switch {
	case at.file == commandLine:
		return " on the command line"
	case at.line > 0:
		return fmt.Sprintf(" in %s:%d:%d", r.names[at.file], at.line, at.column)
	}
	return ""
}

// descend follows names as far as the tree goes, and returns where it stops and what is left.
func descend(slot **node, names []string) (at **node, p keyPath, rest []string) {
	for len(names) > 0 {
		next, used := (*slot).child(names)
		if next == nil {
			break
		}
		if (*slot).kind == list {
			index, _ := strconv.Atoi(names[0])
			p = p.item(index)
		} else {
			p = p.key(strings.Join(names[:used], "."))
		}
		slot, names = next, names[used:]
	}
	return slot, p, names
}

// set puts the value at the key, making the mappings above it.
func (ch *change) set(slot **node, p keyPath, rest []string, r *report) {
	cur := *slot
	switch {
	case len(rest) == 0:
		*slot = merge(cur, ch.value)
	case !holds(cur):
		*slot = wrapNames(ch.value, rest, ch.at)
	case cur.kind == mapping:
		cur.fields = append(cur.fields, field{key: rest[0], at: ch.at, value: wrapNames(ch.value, rest[1:], ch.at)})
	default:
		ch.blocked(cur, p, rest, r)
	}
}

// wrapNames puts a value below new mappings.
func wrapNames(value *node, names []string, at position) *node {
	for _, name := range slices.Backward(names) {
		value = &node{kind: mapping, at: at, fields: []field{{key: name, at: at, value: value}}}
	}
	return value
}

// blocked reports what keeps a key from being reached.
func (ch *change) blocked(cur *node, p keyPath, rest []string, r *report) {
	switch {
	case cur.kind == list:
		r.addf(ch.at, p.key(rest[0]), "the list has no item %s", rest[0]).
			hintf("it has %d, the first is 0; give the whole list to change their number", len(cur.items))
	case cur.kind == scalar && hasTemplate(cur.text):
		r.addf(ch.at, p.key(rest[0]), "%s is a reference in the file", p).hintf("set the key that it refers to")
	case cur.kind == scalar && holds(cur):
		r.addf(ch.at, p.key(rest[0]), "%s is no mapping", p)
	default:
		for _, name := range rest {
			p = p.key(name)
		}
		r.addf(ch.at, p, "cannot be removed: no file sets it")
	}
}

// remove takes the key away.
func (ch *change) remove(root *node, slot **node, p keyPath, rest []string, c *composer) {
	if len(rest) > 0 {
		ch.blocked(*slot, p, rest, c.report)
		return
	}
	if ch.value != nil && !same(*slot, ch.value) {
		c.report.addf(ch.at, p, "has another value%s", c.report.where((*slot).at)).hintf("leave out =… to remove it in any case")
		return
	}
	last := p[len(p)-1]
	if last.list {
		c.report.addf(ch.at, p, "an item of a list cannot be removed").hintf("give the whole list")
		return
	}
	removeField(find(root, p[:len(p)-1]), last.name)
	c.removed[p.String()] = ch.at
}

// same tells whether two values mean the same to whoever reads them.
func same(a, b *node) bool {
	if a.kind != b.kind || len(a.items) != len(b.items) || len(a.fields) != len(b.fields) {
		return false
	}
	for i := range a.items {
		if !same(a.items[i], b.items[i]) {
			return false
		}
	}
	for _, f := range a.fields {
		other := b.get(f.key)
		if other == nil || !same(f.value, other) {
			return false
		}
	}
	x, isBool := a.boolean()
	y, both := b.boolean()
	if isBool && both {
		return x == y
	}
	return a.isNull() == b.isNull() && (a.isNull() || a.text == b.text)
}

// clone copies a tree.
func clone(n *node) *node {
	if n == nil {
		return nil
	}
	out := *n
	out.items, out.fields = nil, nil
	for _, item := range n.items {
		out.items = append(out.items, clone(item))
	}
	for _, f := range n.fields {
		f.value = clone(f.value)
		out.fields = append(out.fields, f)
	}
	return &out
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
