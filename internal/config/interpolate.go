// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// interpolate replaces all references in the tree.
func interpolate(root *node, lookupEnv func(string) (string, bool), rep *report) {
	r := resolver{root: root, lookupEnv: lookupEnv, report: rep, state: map[*node]state{}, size: map[*node]int{}}
	r.findToken()
	r.resolve(root, nil)
}

type state int

const (
	untouched state = iota
	running         // its value is being found, so it must not be needed for that
	done
)

type resolver struct {
	root      *node
	lookupEnv func(string) (string, bool)
	report    *report
	state     map[*node]state
	size      map[*node]int // nodes in and below one
	token     string        // the variable that must not be read
	reads     []envRead
	stack     []keyPath // of references whose values are being found
	nodes     int       // brought in by references so far
	bytes     int
}

// envRead is a place that reads an environment variable.
type envRead struct {
	name string
	n    *node
	path keyPath
}

// findToken learns which variable holds the token. It must get into no file, so from then
// on no value can be made of it; what was read to learn the name is checked afterwards.
func (r *resolver) findToken() {
	var otel Otel
	otel.setDefaults()
	r.token = otel.TokenEnv
	if n := r.lookup([]string{"otel", "token_env"}); n != nil && n.kind == scalar && !n.broken && !n.isNull() {
		r.token = n.text
	}
	for _, read := range r.reads {
		if read.name == r.token {
			r.refuseToken(read.n, read.path)
		}
	}
}

func (r *resolver) refuseToken(n *node, p keyPath) *node {
	out := r.fail(n, p, "reads the variable of the token, %s, which must not get into a file", r.token)
	r.hint("the collector gets the token without this; otel.token_env names its variable")
	return out
}

// resolve returns what n becomes. Containers are changed in place.
func (r *resolver) resolve(n *node, p keyPath) *node {
	if n.broken || r.state[n] == done {
		return n
	}
	if r.state[n] == running {
		return r.circle(n, p)
	}
	r.state[n] = running
	out, size := n, 1
	switch {
	case n.kind == mapping:
		for i := range n.fields {
			n.fields[i].value = r.resolve(n.fields[i].value, p.key(n.fields[i].key))
			size += r.size[n.fields[i].value]
		}
	case n.kind == list:
		for i := range n.items {
			n.items[i] = r.resolve(n.items[i], p.item(i))
			size += r.size[n.items[i]]
		}
	case hasTemplate(n.text):
		r.stack = append(r.stack, p)
		out = r.scalar(n, p)
		r.stack = r.stack[:len(r.stack)-1]
		size = max(1, r.size[out])
	}
	r.state[n], r.state[out] = done, done
	r.size[out] = size
	return out
}

// circle reports a value that needs itself, which leads there and back.
func (r *resolver) circle(n *node, p keyPath) *node {
	names := []string{p.String()}
	for i := len(r.stack) - 1; i >= 0; i-- {
		name := r.stack[i].String()
		if name == names[0] {
			break
		}
		names = slices.Insert(names, 1, name)
	}
	return r.fail(n, p, "the references go in a circle: %s", strings.Join(names, ", "))
}

// fail reports and returns a node that nobody reports again.
func (r *resolver) fail(n *node, p keyPath, format string, args ...any) *node {
	r.report.addf(n.at, p, format, args...)
	return &node{at: n.at, broken: true}
}

// hint adds to what fail has just reported.
func (r *resolver) hint(format string, args ...any) {
	r.report.found[len(r.report.found)-1].hintf(format, args...)
}

// scalar resolves a text that holds references.
func (r *resolver) scalar(n *node, p keyPath) *node {
	text := n.text
	if n.plain {
		text = strings.TrimSpace(text)
	}
	if len(r.stack) > maxDepth {
		return r.fail(n, p, "the value refers through too many other keys")
	}
	pieces, err := parseTemplate(text)
	if err != nil {
		out := r.fail(n, p, "%s", err)
		r.hint(`shell text such as ${HOME} is written $HOME or \${HOME}`)
		return out
	}
	if len(pieces) == 1 && pieces[0].ref != nil {
		return r.whole(n, p, pieces[0].ref)
	}
	out := &node{at: n.at}
	if !r.paste(out, n, p, pieces) {
		return &node{at: n.at, broken: true}
	}
	if out.source != "" {
		out.source = n.text
	}
	return out
}

// whole resolves a value that is nothing but one reference: it keeps its type.
func (r *resolver) whole(n *node, p keyPath, ref *reference) *node {
	target := r.reference(n, p, ref)
	if target.broken {
		return &node{at: n.at, broken: true}
	}
	if r.nodes += r.size[target]; r.nodes > maxNodes {
		return r.fail(n, p, "the references bring in too many values")
	}
	out := *target
	out.at = n.at
	r.size[&out] = r.size[target]
	return &out
}

// paste puts the pieces together as text. It is false after a finding.
func (r *resolver) paste(out, n *node, p keyPath, pieces []piece) bool {
	var b strings.Builder
	for _, piece := range pieces {
		text := piece.text
		if piece.ref != nil {
			target := r.reference(n, p, piece.ref)
			switch {
			case target.broken:
				return false
			case target.kind != scalar || target.isNull():
				r.fail(n, p, "%s refers to %s, which cannot be part of a text", piece.ref.source, target.describe())
				return false
			}
			text = target.text
			if target.source != "" {
				out.source = target.source
			}
		}
		if r.bytes += len(text); r.bytes > maxFileBytes {
			r.fail(n, p, "the references bring in too much text")
			return false
		}
		b.WriteString(text)
	}
	out.text = b.String()
	return true
}

// reference finds the value that ref, written in n, stands for.
func (r *resolver) reference(n *node, p keyPath, ref *reference) *node {
	if ref.resolver != "" {
		return r.env(n, p, ref)
	}
	var name node
	if !r.paste(&name, n, p, ref.path) {
		return &node{broken: true}
	}
	names, ok := absolute(name.text, p)
	if !ok {
		return r.missing(n, p, ref, &name)
	}
	target := r.lookup(names)
	if target == nil {
		return r.missing(n, p, ref, &name)
	}
	return target
}

func (r *resolver) missing(n *node, p keyPath, ref *reference, name *node) *node {
	what := name.text
	if name.source != "" {
		what = ref.source
	}
	out := r.fail(n, p, "there is no key %s", what)
	if isEnvName(name.text) {
		r.hint(`a variable of the shell in the job is written $%s or \${%s}, one of this shell ${oc.env:%s}`, what, what, what)
	}
	return out
}

// absolute splits a path. One that begins with dots is relative to the mapping or list
// that the value at p stands in: one dot is that one, each further dot one level up.
func absolute(text string, p keyPath) ([]string, bool) {
	name := strings.TrimLeft(text, ".")
	up := len(text) - len(name)
	names, ok := parsePath(name)
	if !ok || up > len(p) {
		return nil, false
	}
	if up == 0 {
		return names, true
	}
	var base []string
	for _, s := range p[:len(p)-up] {
		if s.list {
			s.name = strconv.Itoa(s.index)
		}
		base = append(base, s.name)
	}
	return append(base, names...), true
}

// lookup returns the resolved value at names, or nil.
func (r *resolver) lookup(names []string) *node {
	slot, at := &r.root, keyPath(nil)
	for len(names) > 0 {
		if (*slot).kind == scalar {
			if *slot = r.resolve(*slot, at); (*slot).broken {
				return *slot
			}
		}
		next, used := (*slot).child(names)
		if next == nil {
			return nil
		}
		if (*slot).kind == list {
			index, _ := strconv.Atoi(names[0])
			at = at.item(index)
		} else {
			at = at.key(strings.Join(names[:used], "."))
		}
		slot, names = next, names[used:]
	}
	*slot = r.resolve(*slot, at)
	return *slot
}

// env resolves `${oc.env:NAME,default}`.
func (r *resolver) env(n *node, p keyPath, ref *reference) *node {
	if ref.resolver != "oc.env" {
		out := r.fail(n, p, "there is no resolver %s", ref.resolver)
		if ref.resolver == "oc.decode" {
			r.hint("leave it out: text is read as a number or a bool where one is wanted")
		} else {
			r.hint(`there is oc.env for a variable of this shell; for the shell of the job write \${`)
		}
		return out
	}
	var name node
	if len(ref.args) == 0 || len(ref.args) > 2 {
		out := r.fail(n, p, "oc.env takes the name of a variable and a default")
		r.hint("a default that holds a comma has to be quoted")
		return out
	}
	if !r.paste(&name, n, p, ref.args[0]) {
		return &node{broken: true}
	}
	if !isEnvName(name.text) {
		return r.fail(n, p, "oc.env needs the name of an environment variable")
	}
	shown := name.text
	if name.source != "" {
		shown = "that " + name.source + " names"
	}
	r.reads = append(r.reads, envRead{name: name.text, n: n, path: p})
	value, set := r.lookupEnv(name.text)
	switch {
	case name.text == r.token:
		return r.refuseToken(n, p)
	case set && (!utf8.ValidString(value) || strings.Contains(value, "\x00")):
		return r.fail(n, p, "the environment variable %s holds no UTF-8 text", shown)
	case set:
		return &node{at: n.at, text: value, source: ref.source}
	case len(ref.args) == 1:
		out := r.fail(n, p, "the environment variable %s is not set", shown)
		r.hint("export it, or give a default as in ${oc.env:NAME,default}")
		return out
	case ref.null:
		return &node{at: n.at, plain: true, text: "null"}
	}
	out := &node{at: n.at}
	if !r.paste(out, n, p, ref.args[1]) {
		out.broken = true
	}
	return out
}
