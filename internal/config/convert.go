// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// converter turns the nodes of the YAML library into a tree of our own: aliases and merge
// keys resolved, duplicate keys reported.
type converter struct {
	file   int
	report *report
	count  int
	depth  int
	open   map[*yaml.Node]bool // anchors that are being expanded, to find cycles
	full   bool                // the limit has been reported
	fixed  *position           // where everything is, for text that is in no file
}

func (c *converter) at(n *yaml.Node) position {
	if c.fixed != nil {
		return *c.fixed
	}
	return position{file: c.file, line: n.Line, column: n.Column}
}

// node converts n. A value that YAML left out has no place of its own, it gets fallback.
func (c *converter) node(n *yaml.Node, fallback position, p keyPath) *node {
	out := &node{at: c.at(n)}
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 {
		out.at = fallback
	}
	c.count++
	c.depth++
	defer func() { c.depth-- }()
	if c.count > maxNodes || c.depth > maxDepth {
		if !c.full {
			c.full = true
			c.report.addf(out.at, p, "the file is too large or too deeply nested once its anchors are written out")
		}
		out.broken = true
		return out
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.alias(n, p)
	case yaml.MappingNode:
		c.mapping(n, out, p)
	case yaml.SequenceNode:
		out.kind = list
		for i, item := range n.Content {
			out.items = append(out.items, c.node(item, out.at, p.item(i)))
		}
	default:
		out.text = n.Value
		if strings.Contains(n.Value, "\x00") {
			c.report.addf(out.at, p, "the value holds a NUL character, which nothing behind it can carry")
			out.broken = true
		}
		out.plain = n.Style == 0 || n.Style == yaml.TaggedStyle && n.ShortTag() != "!!str"
	}
	c.tag(n, out, p)
	return out
}

// alias writes out what an anchor holds. The copy is a full one.
func (c *converter) alias(n *yaml.Node, p keyPath) *node {
	if c.open[n.Alias] {
		c.report.addf(c.at(n), p, "*%s stands inside the value that it refers to", n.Value)
		return &node{at: c.at(n), broken: true}
	}
	c.open[n.Alias] = true
	defer delete(c.open, n.Alias)
	return c.node(n.Alias, c.at(n), p)
}

// tag refuses what YAML calls tags, but for those that change nothing.
func (c *converter) tag(n *yaml.Node, out *node, p keyPath) {
	if n.Style&yaml.TaggedStyle == 0 {
		return
	}
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq", "!":
	default:
		c.report.addf(out.at, p, "the tag %s has no meaning here", n.Tag).hintf("remove it")
		out.broken = true
	}
}

// mapping converts the keys and values of n.
func (c *converter) mapping(n *yaml.Node, out *node, p keyPath) {
	out.kind = mapping
	own := map[string]position{}
	merged := map[string]int{} // key to its index in out.fields
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) {
			c.merge(n.Content[i+1], out, merged, p)
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := c.key(n.Content[i], p)
		if !ok || isMerge(n.Content[i]) {
			continue
		}
		at := c.at(n.Content[i])
		if first, twice := own[key]; twice {
			f := c.report.addf(at, p.key(key), "this key stands twice in one mapping")
			if c.fixed == nil {
				f.hintf("the first is in line %d; remove one of the two", first.line)
			}
			continue
		}
		own[key] = at
		f := field{key: key, at: at, value: c.node(n.Content[i+1], at, p.key(key))}
		if j, ok := merged[key]; ok {
			out.fields[j] = f
		} else {
			out.fields = append(out.fields, f)
		}
	}
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge"
}

// merge adds what `<<: *base` or `<<: [*a, *b]` brings. Of the mappings in one list the
// first wins, of several merge keys the last one.
func (c *converter) merge(value *yaml.Node, out *node, merged map[string]int, p keyPath) {
	from := c.node(value, c.at(value), p.key("<<"))
	sources := []*node{from}
	if from.kind == list {
		sources = from.items
	}
	inThisKey := map[string]bool{}
	for _, source := range sources {
		if source.broken {
			continue
		}
		if source.kind != mapping {
			c.report.addf(source.at, p.key("<<"), "expected a mapping or a list of mappings, found %s", source.describe()).
				hintf("write `<<: *anchor`")
			continue
		}
		for _, f := range source.fields {
			switch j, known := merged[f.key]; {
			case !known:
				merged[f.key] = len(out.fields)
				out.fields = append(out.fields, f)
			case !inThisKey[f.key]:
				out.fields[j] = f
			}
			inThisKey[f.key] = true
		}
	}
}

// key is the text of a key. Lists and mappings are no keys in a submit file.
func (c *converter) key(n *yaml.Node, p keyPath) (string, bool) {
	at := n
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Kind != yaml.ScalarNode:
		c.report.addf(c.at(at), p, "a key has to be text, not a list or a mapping").
			hintf("text that begins with [ or { has to be quoted")
		return "", false
	case strings.TrimSpace(n.Value) == "":
		c.report.addf(c.at(at), p, "a key is empty")
		return "", false
	}
	return n.Value, true
}
