// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// link is one of Markdown's: what is read, the file, and the place in it.
var link = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)`)

// relink lets the links of the packed pages lead to where things are packed. Of those to files
// that are in the repository only, the words stay.
func relink(t tree) error {
	packed := map[string]string{}
	for _, name := range t.names() {
		if source := t[name].source; source != "" && !filepath.IsAbs(source) {
			packed[path.Clean(filepath.ToSlash(source))] = name
		}
	}
	for _, name := range packed {
		if path.Ext(name) != ".md" {
			continue
		}
		e := t[name]
		data, err := os.ReadFile(e.source)
		if err != nil {
			return err
		}
		relinked := link.ReplaceAllStringFunc(string(data), func(whole string) string {
			parts := link.FindStringSubmatch(whole)
			if strings.Contains(parts[2], "://") {
				return whole
			}
			target, ok := packed[path.Join(path.Dir(filepath.ToSlash(e.source)), parts[2])]
			if !ok {
				return parts[1]
			}
			relative, err := filepath.Rel(path.Dir(name), target)
			if err != nil {
				return parts[1]
			}
			return "[" + parts[1] + "](" + filepath.ToSlash(relative) + parts[3] + ")"
		})
		t[name] = entry{mode: e.mode, data: []byte(relinked)}
	}
	return nil
}
