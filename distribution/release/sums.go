// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// sums writes SHA256SUMS over all results.
func sums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	t := tree{}
	for _, file := range files {
		if file.Type().IsRegular() && file.Name() != "SHA256SUMS" && file.Name()[0] != '.' {
			t.addFile(file.Name(), fs.FileMode(0o644), filepath.Join(dir, file.Name()))
		}
	}
	text, err := t.sums()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "SHA256SUMS"), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
