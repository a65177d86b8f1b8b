// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package docs hands the commands in the documentation to the tests that run them. Its own
// tests know every command of every Markdown file, and fail on one that nothing runs.
package docs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// Block is a fenced block. One of `sh run LABEL` is run by a test, which takes it by the file
// and the label.
type Block struct {
	File  string
	Line  int      // of its first line of text
	Words []string // of the info string: the language and what follows
	Text  string
}

// Shell reports whether the block holds commands, as its info string says.
func (b Block) Shell() bool {
	return len(b.Words) > 0 && slices.Contains([]string{"sh", "bash", "shell", "console", "zsh"}, b.Words[0])
}

// Run reports whether a test is to run the block.
func (b Block) Run() bool { return b.Shell() && len(b.Words) > 1 && b.Words[1] == "run" }

// Label says which test, and where in it; it may be empty.
func (b Block) Label() string { return strings.Join(b.Words[min(2, len(b.Words)):], " ") }

// Command is one complete command of a block, without the comment behind it.
type Command struct {
	Line int
	Text string
}

// Commands are the block's commands.
func (b Block) Commands() ([]Command, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(b.Text), "")
	if err != nil {
		return nil, fmt.Errorf("%s, in the block at line %d: %w", b.File, b.Line, err)
	}
	var commands []Command
	for _, s := range file.Stmts {
		commands = append(commands, Command{b.Line + int(s.Pos().Line()) - 1, b.Text[s.Pos().Offset():s.End().Offset()]})
	}
	return commands, nil
}

// Blocks are all fenced blocks of a file.
func Blocks(file string) ([]Block, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var blocks []Block
	var open *Block
	for i, line := range strings.Split(string(data), "\n") {
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case open != nil && fence && info == "":
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.Text += line + "\n"
		case fence && !strings.Contains(info, "`"):
			open = &Block{File: file, Line: i + 2, Words: strings.Fields(info)}
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block has no end", file, open.Line)
	}
	return blocks, nil
}

// Take hands over the blocks of a file, given as of the root of the repository, that are to be
// run and have one of the labels. There has to be one of each. The inventory finds the calls in
// the tests' source, so both have to be literals.
func Take(tb testing.TB, file string, labels ...string) []Block {
	tb.Helper()
	all, err := Blocks(filepath.Join(Root(tb), file))
	if err != nil {
		tb.Fatal(err)
	}
	var taken []Block
	found := map[string]bool{}
	for _, b := range all {
		if b.Run() && slices.Contains(labels, b.Label()) {
			taken, found[b.Label()] = append(taken, b), true
		}
	}
	for _, label := range labels {
		if !found[label] {
			tb.Fatalf("%s has no block ```sh run %s", file, label)
		}
	}
	return taken
}

// Text is what the blocks say, one after another.
func Text(blocks []Block) string {
	var all strings.Builder
	for _, b := range blocks {
		all.WriteString(b.Text)
	}
	return all.String()
}

// Root is the repository's.
func Root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "builder-config.yaml")); missing == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("there is no builder-config.yaml in any directory above")
		}
	}
	tb.Fatal(err)
	return ""
}
