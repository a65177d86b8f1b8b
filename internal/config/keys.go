// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"slices"
	"strings"
)

// OverrideKeys lists the keys that key=value can change, in the order of the schema. What is
// named freely, services for instance, is offered by the names that the sources give.
func OverrideKeys(sources []Source) []string {
	var keys []string
	root, _ := compose(sources, nil, Options{}, &report{})
	collectKeys(reflect.TypeFor[Config](), root, nil, &keys)
	return keys
}

// BenchmarkNames lists the benchmarks that the sources name.
func BenchmarkNames(sources []Source) []string {
	root, _ := compose(sources, nil, Options{}, &report{})
	if root == nil {
		return nil
	}
	benchmarks := (&origin{root: root}).find(path("driver", "benchmarks"))
	if benchmarks == nil {
		return nil
	}
	var names []string
	for _, f := range benchmarks.fields {
		names = append(names, f.key)
	}
	return names
}

// collectKeys adds the keys of a type below p; n is what stands there in the file, or nil.
func collectKeys(t reflect.Type, n *node, p keyPath, keys *[]string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, text := reflect.TypeAssert[encodesAsText](reflect.Zero(t))
	switch entry, isMap := entryOf(t); {
	case isMap:
		if n != nil && n.kind == mapping {
			for _, f := range n.fields {
				collectKeys(entry, f.value, p.key(f.key), keys)
			}
		}
	case t.Kind() == reflect.Struct && !text:
		known := fieldsOf(variantOf(t, n))
		for _, name := range known.names {
			var value *node
			if n != nil && n.kind == mapping {
				value = n.get(name)
			}
			collectKeys(t.Field(known.index[name]).Type, value, p.key(name), keys)
		}
	default:
		*keys = append(*keys, p.String())
	}
}

// variantOf is an empty value of the type, and of the variant that the file asks for.
func variantOf(t reflect.Type, n *node) reflect.Value {
	v := reflect.New(t).Elem()
	kind := v.FieldByName("Type")
	if n == nil || n.kind != mapping || !kind.IsValid() || kind.Kind() != reflect.String {
		return v
	}
	if written := n.get("type"); written != nil && written.kind == scalar {
		kind.SetString(written.text)
	}
	return v
}

// encodesAsText are structs that stand in a file as one text.
type encodesAsText interface{ String() string }

// entryOf is the type of the values of a Map.
func entryOf(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	name, hasName := t.Elem().FieldByName("Name")
	value, hasValue := t.Elem().FieldByName("Value")
	return value.Type, hasName && hasValue && name.Type.Kind() == reflect.String
}

// homesOf are the sections of a submit file, other than the one at p, that know a key, such as compute.<name> of
// walltime. In its own section it is a key of another type of service.
func homesOf(key string, p keyPath) (sections []string) {
	var look func(t reflect.Type, section []string)
	look = func(t reflect.Type, section []string) {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if entry, ok := entryOf(t); ok {
			look(entry, append(slices.Clone(section), anyName))
			return
		}
		if t.Kind() != reflect.Struct || t == reflect.TypeFor[EnvVar]() {
			return
		}
		for _, f := range keyFields(t) {
			name := f.Tag.Get("yaml")
			if name == key && len(section) > 0 && !isSection(p, section) {
				sections = append(sections, strings.Join(section, "."))
			}
			look(f.Type, append(slices.Clone(section), name))
		}
	}
	look(reflect.TypeFor[Config](), nil)
	return sections
}

// anyName stands for a name that the user gives.
const anyName = "<name>"

func isSection(p keyPath, section []string) bool {
	return slices.EqualFunc(p, section, func(s step, name string) bool { return name == anyName || s.name == name })
}
