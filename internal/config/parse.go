// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Source is one file of a submit configuration.
type Source struct {
	Name string // as given on the command line
	Data []byte
	// Site marks the site's file: it is merged before all others, and may lock keys.
	Site bool
}

// A submit file has some hundred values at most. The limits are there for files that are
// something else, and for anchors that multiply.
const (
	maxFileBytes = 4 << 20
	maxNodes     = 50_000
	maxDepth     = 100
)

// ReadFile reads a file that may be a submit file, and of a much larger one only enough to see
// that it is none.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}

// parse reads one source, whose keys stand below prefix: a mapping, or null for an empty
// file. What it cannot read is reported, and nil returned.
func parse(src Source, file int, prefix keyPath, r *report) *node {
	data := bytes.TrimPrefix(src.Data, []byte("\uFEFF"))
	if !readable(data, file, r) {
		return nil
	}
	start := position{file: file, line: 1, column: 1}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	switch err := decodeNode(dec, &doc); {
	case errors.Is(err, io.EOF):
		return &node{at: start, plain: true}
	case err != nil:
		reportSyntax(data, file, r)
		return nil
	}
	switch err := decodeNode(dec, &next); {
	case err == nil:
		at := position{file: file, line: max(next.Line, 1), column: max(next.Column, 1)}
		r.addf(at, nil, "the file holds several documents, but a submit file is one").
			hintf("remove the line `---`, or give the documents as files of their own, each with -c")
		return nil
	case !errors.Is(err, io.EOF):
		reportSyntax(data, file, r)
		return nil
	}
	return convert(&doc, start, prefix, r)
}

// convert turns a document into a tree whose root is a mapping, or null.
func convert(doc *yaml.Node, start position, prefix keyPath, r *report) *node {
	if len(doc.Content) == 0 {
		return &node{at: start, plain: true}
	}
	c := converter{file: start.file, report: r, open: map[*yaml.Node]bool{}}
	root := c.node(doc.Content[0], start, prefix)
	switch {
	case root.broken:
		return nil
	case root.isNull():
		root.at = start
	case root.kind != mapping:
		if len(prefix) > 0 {
			r.addf(root.at, prefix, "the file has to be a mapping, found %s", root.describe())
			return nil
		}
		r.addf(root.at, nil, "the file has to be a mapping of sections, found %s", root.describe()).
			hintf("the sections are %s", sections)
		return nil
	}
	return root
}

// readable reports what makes a file no text at all.
func readable(data []byte, file int, r *report) bool {
	at := position{file: file, line: 1, column: 1}
	if len(data) > maxFileBytes {
		r.addf(at, nil, "the file is larger than %d MiB, which no submit file is", maxFileBytes>>20)
		return false
	}
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			r.addf(at, nil, "the file is not UTF-8 text: byte 0x%02x", data[i])
			return false
		case c < ' ' && c != '\n' && c != '\r' && c != '\t', c >= 0x7f && c < 0xa0 && c != 0x85,
			c == 0xfeff, c == 0xfffe, c == 0xffff:
			r.addf(at, nil, "the file holds the invisible character U+%04X", c).
				hintf("in double quotes it can be written as an escape")
			return false
		case c == '\r' && bytes.HasPrefix(data[i:], []byte("\r\n")):
		case isLineEnd(c):
			at.line, at.column = at.line+1, 1
		default:
			at.column++
		}
		i += size
	}
	return true
}

// isLineEnd tells what YAML counts as one.
func isLineEnd(c rune) bool {
	return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029
}

// splitLines splits a file into its lines.
func splitLines(data []byte) []string {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	return strings.Split(strings.Map(func(c rune) rune {
		if isLineEnd(c) {
			return '\n'
		}
		return c
	}, text), "\n")
}

// decodeNode reads the next document. The library panics for faults of its own; a file
// must not end the program.
func decodeNode(dec *yaml.Decoder, out *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errUnreadable
		}
	}()
	return dec.Decode(out)
}

var errUnreadable = errors.New("cannot be read as YAML")
