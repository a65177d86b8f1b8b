// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"strconv"
)

// encode turns a value of the model back into a tree, every key of the schema included.
func encode(v reflect.Value) *node {
	switch value := v.Interface().(type) {
	case encoder:
		return value.encode()
	case []Override:
		return encodeOverrides(value)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return &node{plain: true, text: "null"}
		}
		return encode(v.Elem())
	case reflect.Struct:
		return encodeStruct(v)
	case reflect.Slice:
		out := &node{kind: list}
		for i := range v.Len() {
			out.items = append(out.items, encode(v.Index(i)))
		}
		return out
	case reflect.String:
		return &node{text: v.String()}
	case reflect.Int:
		return &node{plain: true, text: strconv.FormatInt(v.Int(), 10)}
	case reflect.Bool:
		return &node{plain: true, text: strconv.FormatBool(v.Bool())}
	}
	panic("config: no encoding for " + v.Type().String())
}

// encoder is a type that is more than its fields.
type encoder interface{ encode() *node }

// unsetWhenEmpty are the keys whose empty text means that nothing is set, which a reader
// of the resolved config sees as null.
var unsetWhenEmpty = map[string]bool{
	"placement": true, "node_pool": true, "account": true, "hostname": true, "walltime": true,
	"policy_model": true, "endpoint": true, "service_name": true, "binary": true,
	"token_env": true, "done": true, "failed": true,
}

func encodeStruct(v reflect.Value) *node {
	out := &node{kind: mapping}
	for i := range v.NumField() {
		name := keyOf(v, i)
		if name == "" {
			continue
		}
		value := encode(v.Field(i))
		if unsetWhenEmpty[name] && value.kind == scalar && value.text == "" {
			value = &node{plain: true, text: "null"}
		}
		out.fields = append(out.fields, field{key: name, value: value})
	}
	return out
}

func (m Map[T]) encode() *node {
	out := &node{kind: mapping}
	for _, e := range m {
		out.fields = append(out.fields, field{key: e.Name, value: encode(reflect.ValueOf(e.Value))})
	}
	return out
}

func (e EnvVar) encode() *node { return &node{text: e.String()} }

// encode shows the free-form mappings as they were written, not as they were flattened.
func (b Benchmark) encode() *node {
	out := encodeStruct(reflect.ValueOf(b))
	if b.prepare != nil && b.prepare.kind == mapping {
		out.find("prepare").value = b.prepare
	}
	if b.run != nil && b.run.kind == mapping {
		out.find("run").value = b.run
	}
	return out
}

func encodeOverrides(overrides []Override) *node {
	out := &node{kind: mapping}
	for _, o := range overrides {
		out.fields = append(out.fields, field{key: o.Key, value: &node{text: o.Value}})
	}
	return out
}
