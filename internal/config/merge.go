// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

// merge lays over on top of base: mappings key by key, everything else replaces.
// Keys keep the order in which they first came.
func merge(base, over *node) *node {
	if over == nil {
		return base
	}
	if base == nil || base.kind != mapping || over.kind != mapping {
		return over
	}
	index := make(map[string]int, len(base.fields))
	for i, f := range base.fields {
		index[f.key] = i
	}
	// The place is the later one: that is the file in which a user would add a key.
	out := &node{kind: mapping, at: over.at, fields: base.fields}
	for _, f := range over.fields {
		if i, ok := index[f.key]; ok {
			f.value = merge(out.fields[i].value, f.value)
			out.fields[i] = f
			continue
		}
		out.fields = append(out.fields, f)
	}
	return out
}
