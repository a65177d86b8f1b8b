// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"testing"
)

func TestKeyPath(t *testing.T) {
	p := path("services", "qwen2.5").key("mounts").item(0)
	requireEqual(t, "services[qwen2.5].mounts[0]", p.String())
	// Paths that begin alike are not one memory.
	a, b := p.key("a"), p.key("b")
	requireEqual(t, "services[qwen2.5].mounts[0].a", a.String())
	requireEqual(t, "services[qwen2.5].mounts[0].b", b.String())
	requireEqual(t, `a\nb`, path("a\nb").String())
	requireEqual(t, "", path().String())
}

func TestParsePath(t *testing.T) {
	for text, want := range map[string][]string{
		"a":            {"a"},
		"a.b":          {"a", "b"},
		"a[0].b":       {"a", "0", "b"},
		"a[b.c][d].e":  {"a", "b.c", "d", "e"},
		"[a.b].c":      {"a.b", "c"},
		"a.0":          {"a", "0"},
		"a-b_c/d@e: f": {"a-b_c/d@e: f"},
	} {
		got, ok := parsePath(text)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "a[", "a]", "a[]", "a[0]b", "a.[b]", "a[0]]"} {
		if got, ok := parsePath(text); ok {
			t.Errorf("%s: got %q", text, got)
		}
	}
}
