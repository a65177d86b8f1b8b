// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// schemaDialect is the dialect of the schema. Editors read no later one as well as this.
const schemaDialect = "http://json-schema.org/draft-07/schema#"

// JSONSchema describes one file of a submission for editors and validators. It requires no
// key, because a file may be one of several; and it allows references everywhere.
func JSONSchema() ([]byte, error) {
	root := objectOf(reflect.TypeFor[Config]())
	root["$schema"] = schemaDialect
	root["title"] = "gym-submit: a submit file"
	properties := root["properties"].(map[string]any)
	properties["defaults"] = map[string]any{"type": []string{"array", "null"}, "description": "other files that belong to this one"}
	root["patternProperties"] = map[string]any{"^_": map[string]any{}}
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

// What stands for a value that a reference or a later file gives.
const placeholder = `\$\{|^\?\?\?$`

func placeholderSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": placeholder}
}

func anyOf(options ...map[string]any) map[string]any { return map[string]any{"anyOf": options} }

// schemaOf is what a value of a type may look like in YAML.
func schemaOf(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[EnvVar]():
		return textSchema()
	case reflect.TypeFor[[]Override]():
		return anyOf(map[string]any{"type": "object"}, placeholderSchema())
	case reflect.TypeFor[Number]():
		return anyOf(map[string]any{"type": "number", "minimum": 0}, map[string]any{"type": "string", "pattern": `^[0-9.eE+-]+$|` + placeholder})
	}
	if entry, ok := entryOf(t); ok {
		value := schemaOf(entry)
		if entry.Kind() == reflect.String {
			value = nullable(value)
		}
		return anyOf(map[string]any{"type": "object", "additionalProperties": value}, placeholderSchema())
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(schemaOf(t.Elem()))
	case reflect.Struct:
		return anyOf(objectOf(t), placeholderSchema())
	case reflect.Slice:
		return anyOf(map[string]any{"type": "array", "items": schemaOf(t.Elem())}, placeholderSchema())
	case reflect.Int:
		return anyOf(map[string]any{"type": "integer"}, map[string]any{"type": "string", "pattern": `^\s*[+-]?[0-9][0-9_]*\s*$|` + placeholder})
	case reflect.Bool:
		return anyOf(map[string]any{"type": "boolean"}, map[string]any{"enum": []int{0, 1}}, map[string]any{"type": "string", "pattern": boolPattern + "|" + placeholder})
	}
	return textSchema()
}

const boolPattern = `^\s*([Tt]([Rr][Uu][Ee])?|[Ff]([Aa][Ll][Ss][Ee])?|[Yy]([Ee][Ss])?|[Nn]([Oo])?|[Oo]([Nn]|[Ff][Ff])|0|1)\s*$`

// textSchema: text is taken as it is written, also where YAML reads a number or a bool.
func textSchema() map[string]any {
	return map[string]any{"type": []string{"string", "number", "boolean"}}
}

func nullable(s map[string]any) map[string]any {
	null := map[string]any{"type": "null"}
	if options, ok := s["anyOf"].([]map[string]any); ok {
		return anyOf(append([]map[string]any{null}, options...)...)
	}
	return anyOf(null, s)
}

// objectOf is the schema of a struct's mapping.
func objectOf(t reflect.Type) map[string]any {
	properties := map[string]any{}
	for _, k := range keysOf(t) {
		s := schemaOf(k.typ)
		if len(k.values) > 0 {
			s = anyOf(map[string]any{"enum": k.values}, placeholderSchema())
		}
		s = nullable(s) // null asks for the default
		s["description"] = k.description()
		if word, ok := k.jsonDefault(); ok {
			s["default"] = json.RawMessage(word)
		}
		properties[k.key] = s
	}
	if lag, ok := reflect.TypeAssert[lagging](reflect.New(t)); ok {
		for key, harmless := range lag.unsupported() {
			properties[key] = map[string]any{"enum": tolerable(harmless), "description": "is not supported yet"}
		}
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

// tolerable lists the values of an unsupported key that ask for nothing.
func tolerable(words tolerated) []any {
	values := []any{nil}
	for _, word := range words {
		values = append(values, word)
		if number, err := strconv.Atoi(word); err == nil {
			values = append(values, number)
		}
		if value, err := strconv.ParseBool(word); err == nil {
			values = append(values, value)
		}
	}
	return values
}

// describedKey is a key with all that is known of it.
type describedKey struct {
	keyDoc
	typ      reflect.Type
	variant  string // the only type of service that has the key
	required bool
	preset   *node // the default; nil when there is none
}

// keysOf joins what the model and the descriptions say about the keys of a struct.
func keysOf(t reflect.Type) []describedKey {
	pointer := reflect.New(t)
	if d, ok := reflect.TypeAssert[defaulter](pointer); ok {
		d.setDefaults()
	}
	var required []string
	if d, ok := reflect.TypeAssert[demanding](pointer); ok {
		required = d.required()
	}
	var docs []keyDoc
	if d, ok := reflect.TypeAssert[described](pointer); ok {
		docs = d.keys()
	}
	var keys []describedKey
	for _, f := range keyFields(t) {
		k := describedKey{typ: f.Type, variant: f.Tag.Get("type")}
		k.key = f.Tag.Get("yaml")
		if i := slices.IndexFunc(docs, func(d keyDoc) bool { return d.key == k.key }); i >= 0 {
			k.keyDoc = docs[i]
		}
		k.required = slices.Contains(required, k.key)
		if n := encode(pointer.Elem().FieldByIndex(f.Index)); n.kind == scalar && n.text != "" && !n.isNull() && k.fallback == "" && !k.required {
			k.preset = n
		}
		keys = append(keys, k)
	}
	return keys
}

// defaultWords is the default as the tables show it.
func (k describedKey) defaultWords() string {
	switch {
	case k.required:
		return "required"
	case k.fallback != "":
		return k.fallback
	case k.preset != nil:
		return "`" + k.preset.text + "`"
	}
	return "none"
}

// jsonDefault is the default as JSON.
func (k describedKey) jsonDefault() (string, bool) {
	if k.preset == nil {
		return "", false
	}
	if word, ok := k.preset.word(); ok {
		return word, true
	}
	data, err := json.Marshal(k.preset.text)
	return string(data), err == nil
}

func (k describedKey) description() string {
	text := strings.ReplaceAll(k.meaning, "`", "")
	switch {
	case k.required:
		text += " (required)"
	case k.fallback != "":
		text += " (default: " + strings.ReplaceAll(k.fallback, "`", "") + ")"
	}
	return text
}
