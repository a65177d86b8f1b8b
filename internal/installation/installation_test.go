// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package installation

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestCollector(t *testing.T) {
	for program, want := range map[string]string{
		"/shared/gym/0.1.0/bin/gym-submit":                             "/shared/gym/0.1.0/bin/gym-otelcol",
		"/shared/gym/0.1.0/bin/" + runtime.GOARCH + "/gym-submit":      "/shared/gym/0.1.0/bin/{arch}/gym-otelcol",
		"/shared/gym/0.1.0/" + runtime.GOARCH + "/nested/a/gym-submit": "/shared/gym/0.1.0/" + runtime.GOARCH + "/nested/a/gym-otelcol",
	} {
		if got := Collector(program); got != want {
			t.Errorf("beside %s: got %s, want %s", program, got, want)
		}
	}
}

func TestPrefix(t *testing.T) {
	for _, program := range []string{"/shared/gym/0.1.0/bin/gym-submit", "/shared/gym/0.1.0/bin/" + runtime.GOARCH + "/gym-submit"} {
		if got, want := Prefix(program), "/shared/gym/0.1.0"; got != want {
			t.Errorf("of %s: got %s, want %s", program, got, want)
		}
	}
}

func TestPinned(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		if err := os.MkdirAll(filepath.Join(root, "0.1.0", "bin", arch), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "0.1.0", "bin", "gym-otelcol"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("0.1.0", filepath.Join(root, "current")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		root + "/current/bin/gym-otelcol":              root + "/0.1.0/bin/gym-otelcol",
		root + "/current/bin/{arch}/gym-otelcol":       root + "/0.1.0/bin/{arch}/gym-otelcol",
		root + "/current/bin/gym-{arch}/gym-otelcol":   root + "/0.1.0/bin/gym-{arch}/gym-otelcol",
		"/only/on/the/nodes/current/gym-otelcol":       "/only/on/the/nodes/current/gym-otelcol",
		"/only/on/the/nodes/{arch}/current/bin/{arch}": "/only/on/the/nodes/{arch}/current/bin/{arch}",
	} {
		if got := Pinned(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for path, want := range map[string]string{
		"/a/{arch}/b/{arch}":  "",
		"/a/{machine}/{arch}": "{machine}",
		"/a/{ARCH}":           "{ARCH}",
		"/a/{}/b":             "{}",
		"/a/{1}":              "",
	} {
		if got := Unknown(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
