// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// The schema that is shipped is the one that the program prints.
func TestSchemaIsCurrent(t *testing.T) {
	data, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../distribution/submit-file.schema.json"
	if *update {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shipped, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	requireEqual(t, string(data), string(shipped))
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// instance is a YAML file as an editor hands it to its validator.
func instance(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return plainJSON(value)
}

// plainJSON undoes what YAML 1.1 makes of dates, which JSON does not know.
func plainJSON(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = plainJSON(v[key])
		}
	case map[any]any:
		out := map[string]any{}
		for key, item := range v {
			name, _ := yaml.Marshal(key)
			out[strings.TrimSpace(string(name))] = plainJSON(item)
		}
		return out
	case []any:
		for i := range v {
			v[i] = plainJSON(v[i])
		}
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return value
}

// What the program accepts an independent validator accepts by the schema: the files that
// are shipped, those of the tests, and all resolved configs.
func TestSchemaAccepts(t *testing.T) {
	schema := compiledSchema(t)
	checked := 0
	for _, pattern := range []string{
		"../../distribution/*.yaml", "../run/testdata/files/*.yaml", "../run/testdata/golden/*/resolved-config.yaml",
		"testdata/*.yaml", "testdata/upstream/*.yaml",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(instance(t, string(data))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			checked++
		}
	}
	for _, c := range corpus(t, "good") {
		for name, text := range c.files {
			if strings.Contains(name, "/") && !strings.HasSuffix(name, "/run.yaml") || name == "common.yaml" {
				continue // parts of a group
			}
			if strings.Count(text, "<<:") > 1 {
				continue // the YAML library cannot read two of them, this program can
			}
			if err := schema.Validate(instance(t, text)); err != nil {
				t.Errorf("%s, %s: %v", c.name, name, err)
			}
			checked++
		}
	}
	if err := schema.Validate(instance(t, every)); err != nil {
		t.Error(err)
	}
	if checked < 40 {
		t.Errorf("only %d files were checked", checked)
	}
}

// Files with wrong types and unknown keys fail in an editor as well.
func TestSchemaRefuses(t *testing.T) {
	schema := compiledSchema(t)
	refused := 0
	for _, c := range corpus(t, "bad") {
		if !strings.HasPrefix(c.name, "wrong-type") && c.name != "unknown-keys" && c.name != "sections-misspelled" && c.name != "site-typo" {
			continue
		}
		failed := false
		for _, text := range c.files {
			failed = failed || schema.Validate(instance(t, text)) != nil
		}
		if !failed {
			t.Errorf("%s passes", c.name)
		}
		refused++
	}
	if refused < 9 {
		t.Errorf("only %d bad files", refused)
	}
}
