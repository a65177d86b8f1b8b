// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Gym-submit turns one YAML file into Slurm jobs, each with a gym-otelcol beside it.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(execute(context.Background(), os.Args[1:], systemEnv()))
}
