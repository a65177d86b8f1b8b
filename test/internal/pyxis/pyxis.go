// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package pyxis is a stand-in for the plugin that starts steps in images: a real plugin for a
// real Slurm, with pyxis' options and, for a directory with a root file system, what enroot does.
package pyxis

import (
	_ "embed" // the source of the plugin
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed testdata/pyxis.c
var source []byte

// missing says what keeps the plugin from being built here, or returns nil.
func missing() error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return errors.New("gcc is not installed")
	}
	if _, err := os.Stat("/usr/include/slurm/spank.h"); err != nil {
		return errors.New("libslurm-dev is not installed")
	}
	return nil
}

// Setting builds the plugin and returns the line of slurm.conf that makes a cluster use it.
// Where it cannot be built the test is skipped with the reason.
func Setting(tb testing.TB) string {
	tb.Helper()
	if err := missing(); err != nil {
		tb.Skip(err)
	}
	dir := tb.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil { // all users' sbatch reads it
		tb.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	plugin := filepath.Join(dir, "pyxis.so")
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", plugin, write("pyxis.c", source))
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build the plugin: %v\n%s", err, out)
	}
	return "PlugStackConfig=" + write("plugstack.conf", fmt.Appendf(nil, "required %s\n", plugin))
}
