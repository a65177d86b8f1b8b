// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestBlocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.md")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a\n```sh\nno\n```\n```sh run admin\none\n  two\n```\nb\n```sh run\nthree\n```\n")
	got, err := Blocks(file)
	want := []Block{{file, 6, []string{"admin"}, "one\n  two\n"}, {file, 11, []string{}, "three\n"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	write("```sh run\none\n")
	if _, err := Blocks(file); err == nil {
		t.Error("a block without end was taken")
	}
}
