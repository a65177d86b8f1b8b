// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"
)

// The examples in the help are commands that exist, with flags and words that they take. What
// they do the scripts in testdata show, and the tests of the documentation.
func TestExamples(t *testing.T) {
	var names func(cmd *cobra.Command) []string
	names = func(cmd *cobra.Command) (all []string) {
		all = append(all, cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			all = append(all, names(sub)...)
		}
		return all
	}
	tried := 0
	for _, name := range names(newRootCommand(systemEnv())) {
		cmd, _, err := newRootCommand(systemEnv()).Find(strings.Fields(name)[1:])
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if !strings.HasPrefix(line, "  gym-submit ") {
				continue
			}
			for _, args := range calls(t, line) {
				tried++
				called, rest, err := newRootCommand(systemEnv()).Find(args)
				if err == nil {
					err = called.ParseFlags(rest)
				}
				if err == nil {
					err = called.ValidateArgs(called.Flags().Args())
				}
				if err != nil {
					t.Errorf("the help of %s has the example %q: %v", name, strings.TrimSpace(line), err)
				}
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d examples were found", tried)
	}
}

// calls are the arguments of each call of gym-submit in a line of shell.
func calls(t *testing.T, line string) (all [][]string) {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, _ := n.(*syntax.CallExpr)
		if call == nil || len(call.Args) == 0 || call.Args[0].Lit() != "gym-submit" {
			return true
		}
		args := []string{}
		for _, w := range call.Args[1:] {
			word := w.Lit()
			if word == "" {
				word = "word" // quoted, or the result of another call
			}
			args = append(args, word)
		}
		all = append(all, args)
		return true
	})
	return all
}
