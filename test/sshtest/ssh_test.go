// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package sshtest tests internal/host against a real sshd.
package sshtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/test/internal/sshd"
)

// banners are what a login may print, by the file that it is printed from.
var banners = map[string]string{
	".cshrc": "echo 'Welcome to the cluster!'\n", ".bashrc": "echo 'Welcome to the cluster!'\n",
	".zshenv": "echo 'Welcome to the cluster!'\n", ".config/fish/config.fish": "echo 'Welcome to the cluster!'\n",
}

func connect(t *testing.T, s *sshd.Server) host.Host {
	t.Helper()
	t.Setenv("PATH", s.Bin+":"+os.Getenv("PATH"))
	pool := &host.Pool{}
	t.Cleanup(pool.Close)
	return pool.Of(sshd.Host)
}

// Every login shell, with what it prints: commands, odd texts, files and trees come over unchanged.
func TestLoginShells(t *testing.T) {
	const odd = "it's $HOME `id` \"x\" \\ !! é\nsecond line; # *"
	for _, shell := range []string{"/bin/bash", "/bin/dash", "/usr/bin/tcsh", "/usr/bin/zsh", "/usr/bin/fish"} {
		t.Run(filepath.Base(shell), func(t *testing.T) {
			s := sshd.Start(t, sshd.Options{Shell: shell, Home: banners, Env: []string{"SBATCH_PARTITION=other"}})
			h, dir := connect(t, s), filepath.Join(s.Dir, "runs")
			out, said, err := h.Run(t.Context(), host.Command{
				Args: []string{"sh", "-c", `printf '%s|%s|%s' "$1" "$ODD" "$SBATCH_PARTITION"; echo talk >&2; exit 3`, "sh", odd},
				Env:  []string{"ODD=" + odd}, Without: func(name string) bool { return strings.HasPrefix(name, "SBATCH_") },
			})
			exit, ok := errors.AsType[*host.ExitError](err)
			if out != odd+"|"+odd+"|" || said != "talk\n" && said != "talk" || !ok || exit.Code != 3 {
				t.Errorf("got %q, %q, %v", out, said, err)
			}
			if _, _, err := h.Run(t.Context(), host.Command{Args: []string{"no-such-program"}}); !errors.Is(err, exec.ErrNotFound) {
				t.Errorf("a program that is not there: %v", err)
			}
			place(t, h, filepath.Join(dir, "a b"))
			if _, err := h.ReadEnd(t.Context(), filepath.Join(dir, "nothing"), 9); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file that is not there: %v", err)
			}
			if n := s.Accepted(t); n != 1 {
				t.Errorf("%d connections, want 1", n)
			}
		})
	}
}

func place(t *testing.T, h host.Host, dir string) {
	t.Helper()
	content := strings.Repeat("0123456789\n", 20000) + "no end"
	write := func(dir string) error {
		if err := os.Mkdir(filepath.Join(dir, "otel"), 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "otel", "job.sh"), []byte(content), 0o600)
	}
	if err := h.Place(t.Context(), dir, write); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "otel", "job.sh")
	for name, mode := range map[string]fs.FileMode{dir: 0o755, filepath.Dir(path): 0o700, path: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want %v", name, info, err, mode)
		}
	}
	if got, err := h.ReadAt(t.Context(), path, 0, 1<<30); err != nil || string(got) != content {
		t.Errorf("read %d bytes of %d: %v", len(got), len(content), err)
	}
	if got, err := h.ReadEnd(t.Context(), path, 6); err != nil || string(got) != "no end" {
		t.Errorf("the end is %q: %v", got, err)
	}
	if err := h.Write(t.Context(), filepath.Join(dir, "note"), []byte("alice\n"), 0o644); err != nil {
		t.Error(err)
	}
	files, err := h.List(t.Context(), dir)
	if err != nil || len(files) != 2 || files[0].Name != "note" || files[0].Size != 6 || !files[1].Mode.IsDir() {
		t.Errorf("list: %v %v", files, err)
	}
	// What is there is left alone, and nothing half made beside it.
	if err := h.Place(t.Context(), dir, write); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a directory that is there: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// With rsync at both ends a tree goes over by rsync, on the connection that is there.
func TestRsync(t *testing.T) {
	if _, err := exec.LookPath("rsync"); err != nil {
		t.Skip("rsync is not installed")
	}
	s := sshd.Start(t, sshd.Options{Shell: "/bin/bash"})
	h := connect(t, s)
	place(t, h, filepath.Join(s.Dir, "runs", "it's a $dir"))
	if n, sessions := s.Accepted(t), s.Sessions(t); n != 1 || sessions != 2 {
		t.Errorf("%d connections with %d sessions, want 1 with 2: the shell's and rsync's", n, sessions)
	}
}

// Where the user keeps a connection open, it is used.
func TestUsersOwnConnection(t *testing.T) {
	s := sshd.Start(t, sshd.Options{})
	h := connect(t, s)
	s.Configure(t, "ControlPath "+s.Dir+"/own")
	master := exec.Command("ssh", "-M", "-N", "-f", sshd.Host)
	master.Args = append(master.Args[:1], append([]string{"-o", "StrictHostKeyChecking=accept-new"}, master.Args[1:]...)...)
	if out, err := master.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer func() { _ = exec.Command("ssh", "-O", "exit", sshd.Host).Run() }()
	if _, _, err := h.Run(t.Context(), host.Command{Args: []string{"true"}}); err != nil {
		t.Error(err)
	}
	if n := s.Accepted(t); n != 1 {
		t.Errorf("%d connections, want the user's own alone", n)
	}
}

// Who cannot be reached is told why, and what to do.
func TestRefusals(t *testing.T) {
	s := sshd.Start(t, sshd.Options{})
	for name, c := range map[string]struct{ config, want string }{
		"key":  {"Match all\n  IdentityFile " + s.Dir + "/stranger\n  IdentitiesOnly yes\n  IdentityAgent none\nHost *\n", "ssh-add"},
		"port": {fmt.Sprintf("Port %d", 1), "Connection refused"},
		"name": {"HostName no-such-host.invalid", "compute.<name>.hostname"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "key" {
				if err := os.Rename(filepath.Join(s.Dir, "stranger"), filepath.Join(s.Dir, "key")); err != nil {
					t.Fatal(err)
				}
				c.config = ""
			}
			s.Configure(t, c.config)
			_, _, err := connect(t, s).Run(t.Context(), host.Command{Args: []string{"true"}})
			if _, ok := errors.AsType[*host.ConnectError](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
