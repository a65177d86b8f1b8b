// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shell checks a script that becomes part of the job's.
func (v *validator) shell(p keyPath, script string) {
	if complaint := shellScript(script); complaint != "" {
		v.shellf(p, complaint)
	}
}

// shellf reports what a shell parser complains of. It may quote the text, which is left
// out where the text may be a secret.
func (v *validator) shellf(p keyPath, complaint string) *finding {
	if n := v.origin.find(p); n != nil && (n.source != "" || n.at.file == commandLine) {
		complaint, _, _ = strings.Cut(complaint, ": ")
	}
	return v.addf(p, "%s", complaint)
}

// shellScript complains about text that bash cannot read, or that would run on into what
// follows it.
func shellScript(script string) string {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	switch {
	case err != nil:
		return shellError(err)
	case trailingSlashes(strings.TrimRight(script, "\n"))%2 == 1:
		return "ends in a backslash, which would join it with what follows"
	}
	return ""
}

// shellWords checks words that are added to a command: no operator, redirection or
// comment may end it. Line ends between words become blanks.
func shellWords(text string) (words, complaint string) {
	parts, complaint := splitWords(text)
	if complaint != "" {
		return "", complaint
	}
	if n := len(parts); n > 0 && trailingSlashes(parts[n-1])%2 == 1 {
		return "", "ends in a backslash, which would join it with what follows"
	}
	if !strings.Contains(text, "\n") {
		return strings.TrimSpace(text), ""
	}
	return strings.Join(parts, " "), ""
}

// splitWords returns the words as they are written, quotes included.
func splitWords(text string) (parts []string, complaint string) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	end := 0
	for word, err := range parser.WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return nil, shellError(err)
		}
		start := int(word.Pos().Offset())
		if complaint := between(text[end:start]); complaint != "" {
			return nil, complaint
		}
		end = int(word.End().Offset())
		parts = append(parts, text[start:end])
		if hasExtGlob(word) {
			return nil, "holds a pattern such as @(a|b), which bash takes for a fault"
		}
	}
	if complaint := between(text[end:]); complaint != "" {
		return nil, complaint
	}
	return parts, ""
}

// between checks what stands between two words.
func between(gap string) string {
	gap = strings.TrimSpace(strings.ReplaceAll(gap, "\\\n", ""))
	switch {
	case gap == "":
		return ""
	case strings.HasPrefix(gap, "#"):
		return "holds a comment, which would hide what follows"
	}
	return "is not words of one command"
}

func hasExtGlob(word *syntax.Word) bool {
	found := false
	syntax.Walk(word, func(n syntax.Node) bool {
		_, glob := n.(*syntax.ExtGlob)
		found = found || glob
		return !found
	})
	return found
}

// shellError says what the parser complains of, and where in the text.
func shellError(err error) string {
	if parse, ok := errors.AsType[syntax.ParseError](err); ok {
		return "does not parse as shell, at line " + parse.Pos.String() + ": " + parse.Text
	}
	if lang, ok := errors.AsType[syntax.LangError](err); ok {
		return "does not parse as bash, at line " + lang.Pos.String()
	}
	return "does not parse as shell"
}
