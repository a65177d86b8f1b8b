// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

func TestVersionNamesTheCommit(t *testing.T) {
	for _, flag := range []string{"--version", "-v"} {
		cmd := exec.Command(os.Args[0], flag)
		cmd.Env = append(os.Environ(), roleEnv+"="+roleCollector)
		out, err := cmd.Output()
		if want := "gym-otelcol version " + version.String() + "\n"; err != nil || string(out) != want {
			t.Errorf("%s: %q, %v; want %q", flag, out, err, want)
		}
	}
}
