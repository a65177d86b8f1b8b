// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package e2e runs whole jobs: the built gym-submit and gym-otelcol, on real Slurm and with
// local compute, against the stand-ins of this directory's neighbours.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/internal/netns"
)

// programs is the directory with everything that the tests run.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests that run beside each other wait for something nearly all the time.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	os.Exit(netns.Run(func() int {
		dir, err := os.MkdirTemp("", "gym-e2e-")
		if err == nil {
			err = os.Chmod(dir, 0o755) // ordinary users run them too
		}
		if err == nil {
			programs, err = dir, build(dir)
		}
		defer os.RemoveAll(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			return 1
		}
		return m.Run()
	}))
}

// build builds the programs, the engine under the name that the job script calls.
func build(dir string) error {
	for name, source := range map[string]string{
		"gym-otelcol": "../../cmd/gym-otelcol",
		"gym-submit":  "../../cmd/gym-submit",
		"vllm":        "../engine",
		"driver":      "../driver",
	} {
		cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, name), source)
		// The flags of the Makefile: with others the whole collector is compiled again.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -tags=remove_all_sd -buildvcs=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	return nil
}
