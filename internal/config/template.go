// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"strings"
)

// The grammar of `${...}` is OmegaConf's, as far as submit files use it: `${a.b[0]}` for a
// key, `${oc.env:NAME}` and `${oc.env:NAME,default}` for a variable, nested at will, and
// `\${` for the characters themselves.

// piece is a part of a text: literal, or a reference.
type piece struct {
	text string
	ref  *reference
}

// reference is one `${...}`.
type reference struct {
	source   string    // as written
	resolver string    // empty for a reference to a key
	path     []piece   // of the key
	args     [][]piece // of the resolver
	null     bool      // the last argument is the word null
}

// hasTemplate tells whether a text has to be parsed at all.
func hasTemplate(s string) bool { return strings.Contains(s, "${") }

// escapeTemplate is the text that parses as s.
func escapeTemplate(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			return b.String() + s
		}
		slashes := trailingSlashes(s[:i])
		b.WriteString(s[:i] + strings.Repeat(`\`, slashes+1) + "${")
		s = s[i+2:]
	}
}

func trailingSlashes(s string) int { return len(s) - len(strings.TrimRight(s, `\`)) }

var (
	errUnclosed   = errors.New("a ${ has no closing }")
	errEmptyRef   = errors.New("a ${} names nothing")
	errTooNested  = errors.New("the references are too deeply nested")
	errBadName    = errors.New("the name of a resolver cannot hold a reference")
	errAfterQuote = errors.New("there is text after a quoted argument")
	errOpenQuote  = errors.New("a quote in ${...} is not closed")
	errNoText     = errors.New("the default of oc.env has to be text")
)

// parseTemplate splits a text into its pieces.
func parseTemplate(s string) ([]piece, error) {
	p := templateParser{s: s}
	return p.until("")
}

type templateParser struct {
	s     string
	i     int
	depth int
}

// until reads pieces up to one of the stop characters, which it leaves, or to the end.
func (p *templateParser) until(stops string) ([]piece, error) {
	var pieces []piece
	var text strings.Builder
	for p.i < len(p.s) {
		rest := p.s[p.i:]
		slashes := len(rest) - len(strings.TrimLeft(rest, `\`))
		switch after := rest[slashes:]; {
		case strings.HasPrefix(after, "${"):
			// Half of the backslashes protect the others; an odd one protects the ${.
			text.WriteString(rest[:slashes/2])
			p.i += slashes
			if slashes%2 == 1 {
				text.WriteString("${")
				p.i += 2
				continue
			}
			ref, err := p.reference()
			if err != nil {
				return nil, err
			}
			pieces = appendText(pieces, &text)
			pieces = append(pieces, piece{ref: ref})
		case slashes > 0 && after != "" && strings.IndexByte(stops, after[0]) >= 0:
			text.WriteString(rest[:slashes/2])
			p.i += slashes
			if slashes%2 == 0 {
				return appendText(pieces, &text), nil
			}
			text.WriteByte(after[0])
			p.i++
		case slashes > 0:
			text.WriteString(rest[:slashes])
			p.i += slashes
		case strings.IndexByte(stops, rest[0]) >= 0:
			return appendText(pieces, &text), nil
		default:
			text.WriteByte(rest[0])
			p.i++
		}
	}
	return appendText(pieces, &text), nil
}

func appendText(pieces []piece, text *strings.Builder) []piece {
	if text.Len() > 0 {
		pieces = append(pieces, piece{text: text.String()})
		text.Reset()
	}
	return pieces
}

// reference reads a `${...}` that begins at the current place.
func (p *templateParser) reference() (*reference, error) {
	const most = 20
	if p.depth++; p.depth > most {
		return nil, errTooNested
	}
	defer func() { p.depth-- }()
	start := p.i
	p.i += len("${")
	pieces, err := p.until(":}")
	if err != nil {
		return nil, err
	}
	ref := &reference{path: trimPieces(pieces)}
	switch {
	case p.i == len(p.s):
		return nil, errUnclosed
	case len(ref.path) == 0:
		return nil, errEmptyRef
	case p.s[p.i] == ':':
		if len(ref.path) > 1 || ref.path[0].ref != nil {
			return nil, errBadName
		}
		ref.resolver, ref.path = ref.path[0].text, nil
		if err := p.arguments(ref); err != nil {
			return nil, err
		}
	}
	p.i++
	ref.source = p.s[start:p.i]
	return ref, nil
}

// arguments reads what follows the colon, up to the closing brace.
func (p *templateParser) arguments(ref *reference) error {
	for p.s[p.i] != '}' {
		p.i++
		p.i += len(p.s[p.i:]) - len(strings.TrimLeft(p.s[p.i:], " \t\n"))
		arg, null, err := p.argument()
		if err != nil {
			return err
		}
		if p.i == len(p.s) {
			return errUnclosed
		}
		ref.args, ref.null = append(ref.args, arg), null
	}
	return nil
}

// argument reads quoted or bare text.
func (p *templateParser) argument() (arg []piece, null bool, err error) {
	if p.i == len(p.s) {
		return nil, false, errUnclosed
	}
	switch quote := p.s[p.i]; quote {
	case '{', '[':
		return nil, false, errNoText
	case '\'', '"':
		p.i++
		arg, err = p.until(string(quote))
		if err != nil {
			return nil, false, err
		}
		if p.i == len(p.s) {
			return nil, false, errOpenQuote
		}
		p.i++
		rest, err := p.until(",}")
		if err == nil && len(trimPieces(rest)) > 0 {
			err = errAfterQuote
		}
		return arg, false, err
	}
	arg, err = p.until(",}")
	arg = trimPieces(arg)
	return arg, len(arg) == 1 && arg[0].text == "null", err
}

// trimPieces removes blanks at both ends.
func trimPieces(pieces []piece) []piece {
	const blanks = " \t\n"
	if len(pieces) > 0 {
		pieces[0].text = strings.TrimLeft(pieces[0].text, blanks)
		last := len(pieces) - 1
		pieces[last].text = strings.TrimRight(pieces[last].text, blanks)
	}
	out := pieces[:0]
	for _, p := range pieces {
		if p.ref != nil || p.text != "" {
			out = append(out, p)
		}
	}
	return out
}
