// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// structs are all types of the schema that have keys.
func structs() []reflect.Type {
	var found []reflect.Type
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		if entry, ok := entryOf(t); ok {
			walk(entry)
			return
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Struct:
			if len(keyFields(t)) == 0 || slices.Contains(found, t) {
				return
			}
			found = append(found, t)
			for _, f := range keyFields(t) {
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[Config]())
	return found
}

// Every key of the model is described, and nothing else is.
func TestEveryKeyIsDescribed(t *testing.T) {
	types := structs()
	if len(types) < 10 {
		t.Errorf("only %d types of the schema were looked at", len(types))
	}
	for _, typ := range types {
		for _, k := range keysOf(typ) {
			if k.meaning == "" {
				t.Errorf("describe.go does not say what %s of %s means: add a line there, then go test -update", k.key, typ.Name())
			}
		}
		d, ok := reflect.TypeAssert[described](reflect.New(typ))
		if !ok {
			continue
		}
		for _, doc := range d.keys() {
			if bad, _ := unknownKey(typ, []string{doc.key}); bad != "" {
				t.Errorf("describe.go tells of %s, which %s does not have", doc.key, typ.Name())
			}
		}
	}
}

var keyBlock = regexp.MustCompile(`(?s)<!-- keys: (\w+) ?(\w*) -->\n.*?<!-- end of keys -->`)

// The tables of the page for users are those of describe.go. -update writes them anew.
func TestKeyTables(t *testing.T) {
	const page = "../../docs/submit-file.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{"Config": true, "DistributedBackend": true} // the sections, and what has no effect
	byName := map[string]reflect.Type{}
	for _, typ := range structs() {
		byName[typ.Name()] = typ
	}
	want := keyBlock.ReplaceAllStringFunc(string(data), func(block string) string {
		words := keyBlock.FindStringSubmatch(block)
		typ, ok := byName[words[1]]
		if !ok {
			t.Fatalf("no type %s", words[1])
		}
		shown[words[1]] = true
		head, _, _ := strings.Cut(block, "\n")
		return head + "\n" + keyTable(typ, words[2]) + "<!-- end of keys -->"
	})
	for name := range byName {
		if !shown[name] {
			t.Errorf("%s has no table for %s; it begins with <!-- keys: %s -->, ends with <!-- end of keys -->, and -update fills it in", page, name, name)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	requireEqual(t, want, string(data))
}

func keyTable(typ reflect.Type, variant string) string {
	var b strings.Builder
	b.WriteString("\n| key | default | meaning |\n| --- | --- | --- |\n")
	for _, k := range keysOf(typ) {
		if k.variant == variant {
			b.WriteString("| `" + k.key + "` | " + k.defaultWords() + " | " + k.meaning + " |\n")
		}
	}
	return b.String() + "\n"
}
