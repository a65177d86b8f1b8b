// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strconv"
	"strings"
)

// step is one move down the tree: to a key of a mapping, or to an item of a list.
type step struct {
	name  string
	index int // used when list is set
	list  bool
}

// keyPath says where a value sits, from the root down.
type keyPath []step

// path makes a keyPath of names of keys.
func path(names ...string) keyPath {
	p := make(keyPath, len(names))
	for i, name := range names {
		p[i].name = name
	}
	return p
}

// key returns the path of a key below p. It never shares memory with another path.
func (p keyPath) key(name string) keyPath {
	return append(slices.Clip(p), step{name: name})
}

// item returns the path of a list item below p.
func (p keyPath) item(i int) keyPath {
	return append(slices.Clip(p), step{index: i, list: true})
}

// String writes the path as a user writes it in an override or a reference:
// `services.policy.mounts[0]`. Names that hold a dot stand in brackets.
func (p keyPath) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.list:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case strings.ContainsAny(s.name, ".[]"):
			b.WriteString("[" + printable(s.name) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(printable(s.name))
		}
	}
	return b.String()
}

// printable keeps what somebody wrote from breaking the line it is shown in.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// parsePath splits `a.b[0].c` and `a[b.c].d`. Names are taken as they are, except that
// an index is recognised later, where the value turns out to be a list.
func parsePath(text string) ([]string, bool) {
	var names []string
	for rest := text; ; {
		var name string
		if strings.HasPrefix(rest, "[") {
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, false
			}
			name, rest = rest[1:end], rest[end+1:]
		} else {
			end := strings.IndexAny(rest, ".[]")
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
		}
		if name == "" {
			return nil, false
		}
		names = append(names, name)
		switch {
		case rest == "":
			return names, true
		case rest[0] == '.' && len(rest) > 1 && rest[1] != '[':
			rest = rest[1:]
		case rest[0] == '[':
		default:
			return nil, false
		}
	}
}
