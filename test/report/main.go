// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Command report reads `go test -json` from standard input and prints what a person
// wants to know: a line a package, the output of what failed, and the name of each test
// that was skipped with its reason. A test that did not run is not a test that passed.
package main

import (
	"fmt"
	"os"
)

func main() {
	r := newReport(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	if !r.summary() {
		os.Exit(1)
	}
}
