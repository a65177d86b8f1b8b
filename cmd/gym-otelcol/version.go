// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// The main function is ocb's and knows the version number alone. A release also says the commit
// it was built from, as gym-submit does, so the question is answered before main is asked.
func init() {
	if len(os.Args) == 2 && (os.Args[1] == "--version" || os.Args[1] == "-v") {
		fmt.Println("gym-otelcol version", version.String())
		os.Exit(0)
	}
}
