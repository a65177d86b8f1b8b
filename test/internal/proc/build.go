// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Module is the import path that programs to Build begin with.
const Module = "github.com/gym-otelcol/gym-otelcol"

// Build compiles a main package, given below the module (`test/engine`), into dir under
// the given name and returns the path. The caller's GOFLAGS hold, so that the build
// cache is shared with everything else.
func Build(tb testing.TB, dir, pkg, name string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-o", path, Module+"/"+pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return path
}
