// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// The page for users must not miss a key.
func TestEveryKeyIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/submit-file.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(kind reflect.Type) {
		switch kind.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(kind.Elem())
		case reflect.Struct:
			if seen[kind] {
				return
			}
			seen[kind] = true
			for field := range kind.Fields() {
				if !field.IsExported() {
					continue
				}
				key := field.Tag.Get("yaml")
				// distributed_backend is accepted from old files and has no effect.
				if key != "" && key != "distributed_backend" && kind != reflect.TypeFor[DistributedBackend]() &&
					!strings.Contains(string(page), "`"+key+"`") {
					t.Errorf("docs/submit-file.md does not tell of `%s` of %s", key, kind.Name())
				}
				walk(field.Type)
			}
		}
	}
	walk(reflect.TypeFor[Config]())
	if len(seen) < 10 {
		t.Errorf("only %d types of the schema were looked at", len(seen))
	}
}
