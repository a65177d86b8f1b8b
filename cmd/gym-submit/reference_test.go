// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

const referenceFile = "../../docs/reference/commands.md"

// seeAlso is what cobra writes behind every command: links between files that are one here.
var seeAlso = regexp.MustCompile(`(?s)### SEE ALSO\n.*$`)

// TestReference holds the reference of the commands to what they say of themselves; -update, or make docs,
// writes it anew.
func TestReference(t *testing.T) {
	t.Setenv("HOME", "/home/alice")
	root := newRootCommand(systemEnv())
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	var out bytes.Buffer
	out.WriteString("<!-- Code generated from the commands' own help by make docs. DO NOT EDIT. -->\n\n# Commands of gym-submit\n\n")
	describeAll(t, root, &out)
	if *update {
		if err := os.MkdirAll(filepath.Dir(referenceFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(referenceFile, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(referenceFile)
	if err != nil || !bytes.Equal(have, out.Bytes()) {
		t.Errorf("%s is not what the commands say: run make docs (%v)", referenceFile, err)
	}
}

func describeAll(t *testing.T, cmd *cobra.Command, out *bytes.Buffer) {
	t.Helper()
	var text bytes.Buffer
	if err := doc.GenMarkdown(cmd, &text); err != nil {
		t.Fatal(err)
	}
	out.WriteString(strings.TrimRight(seeAlso.ReplaceAllString(text.String(), ""), "\n") + "\n\n")
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			describeAll(t, sub, out)
		}
	}
}

// Every command has a page, of the date of the commit.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	root := newRootCommand(systemEnv())
	root.SetArgs([]string{"man", dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"gym-submit.1", "gym-submit-status.1", "gym-submit-resubmit.1"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{".TH \"GYM-SUBMIT", "gym-submit 0.", ".SH EXAMPLE"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s:\n%.400s", page, want, text)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gym-submit-man.1")); err == nil {
		t.Error("a hidden command has a page")
	}
}
