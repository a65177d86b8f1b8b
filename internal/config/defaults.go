// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
)

// The grammar of a defaults list is Hydra's:
//
//	- _self_                     where this file's own keys come
//	- config[@package]           another file
//	- [optional|override] group[@package]: option | [option, ...] | null

// entry is one item of a defaults list.
type entry struct {
	at                 position
	path               keyPath
	self               bool
	optional, override bool
	group              string // as written; empty for another file
	pkg                string // behind the @
	hasPkg             bool
	option             *node // the choice of a group; the name of another file
}

// takeDefaults removes the defaults list from the root of a file and reads it. Where
// _self_ is missing, the file's own keys come last.
func takeDefaults(n *node, r *report) []entry {
	list := removeField(n, "defaults")
	var entries []entry
	self := false
	for _, e := range readDefaults(list, r) {
		if e.self && self {
			r.addf(e.at, e.path, "_self_ stands twice in the list").hintf("remove one of the two")
			continue
		}
		self = self || e.self
		entries = append(entries, e)
	}
	if !self {
		entries = append(entries, entry{at: n.at, self: true})
	}
	return entries
}

// removeField takes a key out of a mapping and returns its value.
func removeField(n *node, key string) *node {
	for i, f := range n.fields {
		if f.key == key {
			n.fields = append(n.fields[:i:i], n.fields[i+1:]...)
			return f.value
		}
	}
	return nil
}

func readDefaults(n *node, r *report) []entry {
	p := path("defaults")
	switch {
	case n == nil || n.broken || n.isNull():
		return nil
	case n.kind != list:
		r.addf(n.at, p, "expected a list, found %s", n.describe()).hintf(defaultsHint)
		return nil
	}
	var entries []entry
	for i, item := range n.items {
		if e, ok := readEntry(item, p.item(i), r); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

const defaultsHint = "an item is `- group: option`, the name of another file, or _self_"

func readEntry(n *node, p keyPath, r *report) (entry, bool) {
	e := entry{at: n.at, path: p}
	switch {
	case n.broken:
		return e, false
	case n.kind == scalar && !n.isNull() && n.text == "_self_":
		e.self = true
		return e, true
	case n.kind == scalar && !n.isNull():
		name := *n
		e.keywords(n.text)
		name.text, e.group = e.group, ""
		e.option = &name
		if e.override || strings.TrimSpace(name.text) == "" {
			break
		}
		return e, true
	case n.kind == mapping && len(n.fields) == 1:
		e.at, e.option = n.fields[0].at, n.fields[0].value
		e.keywords(n.fields[0].key)
		if e.group != "" && e.option.kind != mapping && !e.option.broken {
			return e, true
		}
	}
	r.addf(n.at, p, "is no item of a defaults list").hintf(defaultsHint)
	return e, false
}

// keywords reads `[optional|override] group[@package]`.
func (e *entry) keywords(text string) {
	for {
		word, rest, more := strings.Cut(strings.TrimSpace(text), " ")
		if !more || word != "optional" && word != "override" {
			break
		}
		e.optional, e.override = e.optional || word == "optional", e.override || word == "override"
		text = rest
	}
	e.group, e.pkg, e.hasPkg = strings.Cut(strings.TrimSpace(text), "@")
	if e.pkg == "_group_" {
		e.pkg, e.hasPkg = "", false
	}
}

// relativeGroup is the group as the list has it: what its package is made of.
func (e *entry) relativeGroup() string {
	if e.group != "" {
		return strings.TrimPrefix(e.group, "/")
	}
	return strings.TrimPrefix(parentOf(e.option.text), "/")
}

// packageBelow is where the keys of the entry go. Packages are relative to the one of
// the file that has the list.
func (e *entry) packageBelow(parent string) string {
	pkg := strings.ReplaceAll(e.relativeGroup(), "/", ".")
	switch {
	case e.hasPkg && e.pkg == "_here_":
		pkg = ""
	case e.hasPkg:
		pkg = e.pkg
	}
	return absolutePackage(join(parent, pkg, "."))
}

// absolutePackage ends what _global_ begins.
func absolutePackage(pkg string) string {
	if i := strings.LastIndex(pkg, "_global_"); i >= 0 {
		return strings.TrimPrefix(pkg[i+len("_global_"):], ".")
	}
	return pkg
}

// groupBelow is the directory of the group, from the one where all groups are.
func (e *entry) groupBelow(parent string) string {
	group := e.group
	if group == "" {
		group = parentOf(e.option.text)
		if strings.HasPrefix(e.option.text, "/") && group == "" {
			return ""
		}
	}
	if absolute, ok := strings.CutPrefix(group, "/"); ok {
		return absolute
	}
	return join(parent, group, "/")
}

// key is how overrides name the group.
func (e *entry) key(parentGroup, parentPkg string) string {
	group := e.groupBelow(parentGroup)
	pkg := e.packageBelow(parentPkg)
	if e.group == "" {
		return join(group, baseOf(e.option.text), "/") + "@" + pkg
	}
	switch pkg {
	case strings.ReplaceAll(group, "/", "."):
		return group
	case "":
		pkg = "_global_"
	}
	return group + "@" + pkg
}

func join(a, b, separator string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + separator + b
}

func parentOf(name string) string {
	return name[:max(strings.LastIndexByte(name, '/'), 0)]
}

func baseOf(name string) string {
	return name[strings.LastIndexByte(name, '/')+1:]
}

// packageHeader finds `# @package NAME` in the comments at the top of a file.
func packageHeader(data []byte) (pkg string, ok bool) {
	for _, line := range splitLines(data) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\uFEFF"))
		if line != "" && !strings.HasPrefix(line, "#") {
			return "", false
		}
		words := strings.Fields(strings.TrimLeft(line, "# "))
		if len(words) >= 2 && words[0] == "@package" {
			return words[1], true
		}
	}
	return "", false
}
