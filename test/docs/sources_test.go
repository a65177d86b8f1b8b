// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// made are directories of the repository that hold results only.
var made = map[string]bool{".git": true, "bin": true, "dist": true, "_build": true}

// files are those of the repository whose names end so, with their paths below the root.
func files(t *testing.T, suffix string) map[string]string {
	t.Helper()
	root, found := Root(t), map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && made[d.Name()] {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, suffix) {
			name, _ := filepath.Rel(root, path) // both are absolute
			found[filepath.ToSlash(name)] = path
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("no file ends in %s (%v)", suffix, err)
	}
	return found
}

// taken finds the calls of Take in the tests: file and label, and the test that takes them.
func taken(t *testing.T) map[[2]string]string {
	t.Helper()
	takers := map[[2]string]string{}
	for name, path := range files(t, "_test.go") {
		eachTest(t, path, func(test *ast.FuncDecl) {
			ast.Inspect(test, func(n ast.Node) bool {
				call, _ := n.(*ast.CallExpr)
				if call == nil || !isTake(call.Fun) || len(call.Args) < 3 {
					return true
				}
				arguments := literals(t, path, call.Args[1:])
				for _, label := range arguments[1:] {
					takers[[2]string{arguments[0], label}] = filepath.Dir(name) + " " + test.Name.Name
				}
				return true
			})
		})
	}
	return takers
}

// eachTest calls f with the test functions of a file.
func eachTest(t *testing.T, path string, f func(*ast.FuncDecl)) {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range source.Decls {
		if test, ok := d.(*ast.FuncDecl); ok && test.Recv == nil && strings.HasPrefix(test.Name.Name, "Test") {
			f(test)
		}
	}
}

func isTake(function ast.Expr) bool {
	switch f := function.(type) {
	case *ast.SelectorExpr:
		of, _ := f.X.(*ast.Ident)
		return f.Sel.Name == "Take" && of != nil && of.Name == "docs"
	case *ast.Ident:
		return f.Name == "Take"
	}
	return false
}

func literals(t *testing.T, path string, arguments []ast.Expr) []string {
	t.Helper()
	var texts []string
	for _, a := range arguments {
		literal, _ := a.(*ast.BasicLit)
		if literal == nil {
			t.Fatalf("%s: Take wants literals, and not %v", path, a)
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

// gate is what .ci/run does.
type gate struct {
	steps   map[string]bool
	recipes map[string]string // of the Makefile, by target
}

// unchanged comes before a command whose results are to be there already.
var unchanged = regexp.MustCompile(`^scripts/check-unchanged '[^']*' `)

func readGate(t *testing.T) gate {
	t.Helper()
	g := gate{map[string]bool{".ci/run": true}, map[string]string{}} // it is the gate itself
	text, err := os.ReadFile(filepath.Join(Root(t), ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 2 && words[0] == "step" {
			_, command, _ := strings.Cut(strings.TrimSpace(line), words[1]+" ")
			g.steps[unchanged.ReplaceAllString(command, "")] = true
		}
	}
	if text, err = os.ReadFile(filepath.Join(Root(t), "Makefile")); err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`^([a-z-]+):( |$)`)
	name := ""
	for line := range strings.Lines(string(text)) {
		if found := target.FindStringSubmatch(strings.TrimRight(line, "\n")); found != nil {
			name = found[1]
			g.recipes[name] = ""
		} else if name != "" {
			g.recipes[name] += line
		}
	}
	if len(g.steps) < 5 || g.recipes["test"] == "" {
		t.Fatalf("neither .ci/run nor Makefile look as they did: %v", g)
	}
	return g
}

// runs reports whether .ci/run runs a command: as a step, by the recipe of a step's target, or,
// with `go test`, as a part of all tests, when the package has such tests.
func (g gate) runs(t *testing.T, command string) bool {
	t.Helper()
	if g.steps[command] {
		return true
	}
	words := fields(t, command)
	if len(words) == 2 && words[0] == "make" {
		for step := range g.steps {
			if of, ok := strings.CutPrefix(step, "make "); ok && regexp.MustCompile(`\$\(MAKE\) `+words[1]+`\b`).MatchString(g.recipes[of]) {
				return true
			}
		}
	}
	if len(words) < 3 || words[0] != "go" || words[1] != "test" || !g.steps["make test"] {
		return false
	}
	pattern, pkg := "", words[2]
	if words[2] == "-run" && len(words) == 5 {
		pattern, pkg = words[3], words[4]
	} else if len(words) != 3 {
		return false
	}
	tests := 0
	for name, path := range files(t, "_test.go") {
		if "./"+filepath.Dir(name) == pkg {
			eachTest(t, path, func(test *ast.FuncDecl) {
				if regexp.MustCompile(pattern).MatchString(test.Name.Name) {
					tests++
				}
			})
		}
	}
	return tests > 0
}

// fields are a command's words without their quotes.
func fields(t *testing.T, command string) (words []string) {
	t.Helper()
	for w, err := range syntax.NewParser().WordsSeq(strings.NewReader(command)) {
		if err != nil {
			return nil // more than one simple command
		}
		word := ""
		for _, part := range w.Parts {
			switch p := part.(type) {
			case *syntax.Lit:
				word += p.Value
			case *syntax.SglQuoted:
				word += p.Value
			default:
				word += "?" // nothing that .ci/run or a test could be named by
			}
		}
		words = append(words, word)
	}
	return words
}
