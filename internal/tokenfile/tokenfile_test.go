// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package tokenfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	longest := strings.Repeat("x", MaxToken)
	for content, want := range map[string]string{
		"s3cr3t": "s3cr3t", "s3cr3t\n": "s3cr3t", "s3cr3t\r\n": "s3cr3t", `a "b" $c$$ ${d}` + "\n": `a "b" $c$$ ${d}`,
		"18446744073709551616": "18446744073709551616", longest + "\r\n": longest,
	} {
		for _, mode := range []os.FileMode{0o600, 0o400} {
			got, err := Read(write(t, content, mode))
			if err != nil || got != want {
				t.Errorf("%.40q: %.40q, %v", content, got, err)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	symlink := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(write(t, "s3cr3t", 0o600), symlink); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"missing":          {filepath.Join(t.TempDir(), "none"), "is not there: write the token into it"},
		"symbolic link":    {symlink, "is a symbolic link"},
		"directory":        {t.TempDir(), "is no regular file"},
		"pipe":             {pipe, "is no regular file"},
		"group":            {write(t, "s3cr3t", 0o640), "has mode 0640"},
		"others":           {write(t, "s3cr3t", 0o604), "has mode 0604"},
		"world":            {write(t, "s3cr3t", 0o644), "chmod 600 it"},
		"program":          {write(t, "s3cr3t", 0o700), "has mode 0700"},
		"empty":            {write(t, "", 0o600), "is blank"},
		"blank":            {write(t, " \n\t\n", 0o600), "is blank"},
		"two lines":        {write(t, "s3cr3t\nmore\n", 0o600), "the token in it holds a line end"},
		"two line ends":    {write(t, "s3cr3t\n\n", 0o600), "the token in it holds a line end"},
		"not ASCII":        {write(t, "s3cr3t\xff", 0o600), "the token in it holds a character that is not ASCII"},
		"blank at the end": {write(t, "s3cr3t \n", 0o600), "begins or ends with a blank"},
		"long":             {write(t, strings.Repeat("x", MaxToken+1), 0o600), "has more than 4096 characters"},
		"large":            {write(t, strings.Repeat("x", 1<<20), 0o600), "has 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := Read(c.path)
			if err == nil {
				t.Fatalf("it was read: %q", token)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "token file "+c.path+": ") {
				t.Errorf("%v, want ... %s", err, c.want)
			}
			if strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

func TestReadRefusesAnotherOwner(t *testing.T) {
	path := write(t, "s3cr3t", 0o600)
	if err := os.Chown(path, 65534, -1); err != nil {
		t.Skip("only root gives files away:", err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "belongs to the user with id 65534") {
		t.Errorf("%v", err)
	}
}
