// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package pyprom

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ContentType is what goes with a Page.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Page writes everything in text format 0.0.4.
func (r *Registry) Page() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, refresh := range r.beforePage {
		refresh()
	}
	var page bytes.Buffer
	for _, f := range r.families {
		f.write(&page)
		f.writeCreated(&page)
	}
	return page.Bytes()
}

func (f *Family) write(page *bytes.Buffer) {
	name := f.name
	if f.kind == counter {
		name += "_total"
	}
	writeHead(page, name, f.help, f.kind)
	for _, s := range f.series {
		switch f.kind {
		case histogram:
			s.writeBuckets(page)
			s.writeCountAndSum(page)
		case summary:
			s.writeCountAndSum(page)
		default:
			s.writeLine(page, name, s.value)
		}
	}
}

// writeCreated adds the creation times as a family of its own: the text format has no
// other place for them.
func (f *Family) writeCreated(page *bytes.Buffer) {
	if !f.created || len(f.series) == 0 {
		return
	}
	name := f.name + "_created"
	writeHead(page, name, f.help, gauge)
	for _, s := range f.series {
		s.writeLine(page, name, float64(s.created.UnixMicro())/1e6)
	}
}

func (s *Series) writeBuckets(page *bytes.Buffer) {
	var seen float64
	for i, n := range s.buckets {
		bound := math.Inf(1)
		if i < len(s.family.bounds) {
			bound = s.family.bounds[i]
		}
		seen += n
		s.writeLine(page, s.family.name+"_bucket", seen, "le", formatFloat(bound))
	}
}

func (s *Series) writeCountAndSum(page *bytes.Buffer) {
	s.writeLine(page, s.family.name+"_count", s.count)
	s.writeLine(page, s.family.name+"_sum", s.value)
}

func (s *Series) writeLine(page *bytes.Buffer, name string, value float64, extra ...string) {
	page.WriteString(name)
	if pairs := s.labelPairs(extra); len(pairs) > 0 {
		page.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	fmt.Fprintf(page, " %s\n", formatFloat(value))
}

func (s *Series) labelPairs(extra []string) []string {
	var pairs []string
	for i, label := range s.family.labels {
		pairs = append(pairs, label+`="`+escapeLabel.Replace(s.values[i])+`"`)
	}
	for i := 0; i+1 < len(extra); i += 2 {
		pairs = append(pairs, extra[i]+`="`+extra[i+1]+`"`)
	}
	slices.SortFunc(pairs, byLabelName)
	return pairs
}

func byLabelName(a, b string) int {
	nameA, _, _ := strings.Cut(a, "=")
	nameB, _, _ := strings.Cut(b, "=")
	return strings.Compare(nameA, nameB)
}

var (
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

func writeHead(page *bytes.Buffer, name, help string, k kind) {
	fmt.Fprintf(page, "# HELP %s %s\n# TYPE %s %s\n", name, escapeHelp.Replace(help), name, k)
}
