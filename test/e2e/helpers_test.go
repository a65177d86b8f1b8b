// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/engine"
	"github.com/gym-otelcol/gym-otelcol/test/internal/series"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// script writes an executable shell script.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// testPath is the PATH of the test programs and then of this machine.
func testPath() string { return programs + ":" + os.Getenv("PATH") }

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// nothingStaged expects a refusal to have come before anything was created.
func nothingStaged(t *testing.T, f *fixture) {
	t.Helper()
	for _, name := range []string{"runs", "state"} {
		if _, err := os.Stat(filepath.Join(f.dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s was created (%v)", name, err)
		}
	}
}

// awaitServed waits until a scraped page counts a request.
func awaitServed(t *testing.T, f *fixture) {
	t.Helper()
	wait.For(t, 30*time.Second, func() error {
		pages, err := engine.ReadPages(f.pages)
		if err != nil || len(pages) == 0 {
			return fmt.Errorf("no page was scraped: %w", err)
		}
		served, _, err := series.FromPage(pages[len(pages)-1].Body)
		if err != nil {
			return err
		}
		for key, value := range served {
			if value > 0 && len(key) > 24 && key[:24] == "vllm:request_success_tot" {
				return nil
			}
		}
		return fmt.Errorf("the page counts no request")
	})
}
