// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
)

// interpolate replaces all references in the tree.
func interpolate(root *node, lookupEnv func(string) (string, bool), rep *report) {
	newResolver(root, lookupEnv, rep).resolve(root, nil)
}

func newResolver(root *node, lookupEnv func(string) (string, bool), rep *report) *resolver {
	r := &resolver{root: root, lookupEnv: lookupEnv, report: rep, state: map[*node]state{}, size: map[*node]int{}}
	r.findToken()
	return r
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
	for _, below := range slices.Backward(r.stack) {
		name := below.String()
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
