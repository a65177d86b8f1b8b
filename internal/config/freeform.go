// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"strings"
)

// decode keeps the free-form mappings twice: as overrides, which is what the driver
// needs, and as they were written, which is what the resolved config shows.
func (b *Benchmark) decode(d *decoder, n *node, p keyPath) {
	d.structure(n, p, reflect.ValueOf(b).Elem())
	b.prepare, b.run = n.get("prepare"), n.get("run")
}

// Observable tells whether Gym keeps its evidence of the run, which it does unless the file
// says otherwise.
func (b Benchmark) Observable() bool {
	for _, o := range b.Run {
		if o.Key == "observability_enabled" {
			on, known := parseBool(o.Value)
			return o.Value != "null" && (on || !known)
		}
	}
	return true
}

// overrides is how the decoder sees a free-form mapping.
type overrides []Override

func (o *overrides) decode(d *decoder, n *node, p keyPath) {
	if n.kind != mapping {
		d.addf(n.at, p, "expected a mapping, found %s", n.describe())
		return
	}
	f := flattener{decoder: d, seen: map[string]bool{}}
	f.mapping(n, p, "")
	*o = f.out
}

// flattener turns a mapping into overrides: nested keys become dotted ones.
type flattener struct {
	decoder *decoder
	out     []Override
	seen    map[string]bool
}

func (f *flattener) mapping(n *node, p keyPath, prefix string) {
	for _, field := range n.fields {
		at, key := p.key(field.key), prefix+field.key
		if complaint := overrideKey(field.key); complaint != "" {
			f.decoder.addf(field.at, at, "%s", complaint)
		}
		if field.value.kind == mapping && len(field.value.fields) > 0 {
			f.mapping(field.value, at, key+".")
			continue
		}
		if f.seen[key] {
			f.decoder.addf(field.at, at, "%s is set twice, once with its dots and once nested", key)
		}
		f.seen[key] = true
		f.out = append(f.out, Override{Key: key, Value: f.word(field.value, at)})
	}
}

// word writes a value in Hydra's grammar. Text stays as it is in the file: Hydra reads it
// again, and upstream does not quote it either.
func (f *flattener) word(n *node, p keyPath) string {
	switch {
	case n.broken:
		return ""
	case n.isUnset():
		f.decoder.addf(n.at, p, "has no value yet").hintf("??? asks for one in a later file or on the command line")
		return ""
	case n.kind == list:
		words := make([]string, len(n.items))
		for i, item := range n.items {
			words[i] = f.word(item, p.item(i))
		}
		return "[" + strings.Join(words, ",") + "]"
	case n.kind == mapping:
		words := make([]string, len(n.fields))
		for i, field := range n.fields {
			words[i] = field.key + ":" + f.word(field.value, p.key(field.key))
		}
		return "{" + strings.Join(words, ",") + "}"
	case n.isNull():
		return "null"
	}
	if value, ok := n.boolean(); ok {
		if value {
			return "true"
		}
		return "false"
	}
	return n.text
}

// overrideKey complains about keys that would not be keys on Gym's command line.
func overrideKey(key string) string {
	switch {
	case strings.ContainsAny(key, "= \t\n\r"):
		return "a key of an override cannot hold = or blanks"
	case strings.HasPrefix(key, "+"), strings.HasPrefix(key, "~"):
		return "write the key without the leading + or ~, which gym-submit adds where it is needed"
	}
	return ""
}
