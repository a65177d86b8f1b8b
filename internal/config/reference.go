// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	case len(ref.args) == 1 && isJobVariable(name.text) && isForGym(p):
		return &node{at: n.at, text: "${oc.env:" + name.text + "}"}
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
