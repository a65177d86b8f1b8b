// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package docs finds the commands in documentation that tests run.
package docs

import (
	"fmt"
	"os"
	"strings"
)

// Block is a fenced block whose info string begins with `sh run`. What comes after that is for
// the test: who runs it, for instance.
type Block struct {
	File  string
	Line  int // of its first command
	Words []string
	Text  string
}

// Blocks are all such blocks of a file.
func Blocks(file string) ([]Block, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var blocks []Block
	var open *Block
	for i, line := range strings.Split(string(data), "\n") {
		words := strings.Fields(line)
		switch {
		case open != nil && strings.TrimSpace(line) == "```":
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.Text += line + "\n"
		case len(words) >= 2 && words[0] == "```sh" && words[1] == "run":
			open = &Block{File: file, Line: i + 2, Words: words[2:]}
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block has no end", file, open.Line)
	}
	return blocks, nil
}
