// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBlocks(t *testing.T) {
	file := written(t, "a\n```\nno\n```\n```sh run admin\none\n  two\n```\n```` ```sh run ````, inline\n1. b\n   ```yaml\n   k: v\n   ```\n")
	got, err := Blocks(file)
	want := []Block{{file, 3, []string{}, "no\n"}, {file, 6, []string{"sh", "run", "admin"}, "one\n  two\n"}, {file, 12, []string{"yaml"}, "   k: v\n"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err := Blocks(written(t, "```sh run\none\n")); err == nil {
		t.Error("a block without end was taken")
	}
}

func TestCommands(t *testing.T) {
	b := Block{File: "x.md", Line: 10, Text: "A=1 one   # why\n\ntwo 'a\nb' |\n  three # x\nfour && \\\n  five &\n"}
	got, err := b.Commands()
	want := []Command{{10, "A=1 one"}, {12, "two 'a\nb' |\n  three"}, {15, "four && \\\n  five &"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	b.Text = "one <a run or job>   # why\n"
	if got, err := b.Commands(); err == nil {
		t.Errorf("%q is no command, got %+v", b.Text, got)
	}
}
