// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package sshd runs a private sshd on loopback, with keys, users and a host name of its own.
// Nothing of the system's own is touched. It needs root, for its namespaces.
package sshd

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// Host is what the client's configuration calls the server, Node what it calls itself.
const (
	Host = "cluster"
	Node = "login1"
)

// Options of a server.
type Options struct {
	// Shell is the login shell, /bin/sh when empty.
	Shell string
	// Home are files of the user's home directory, such as .cshrc, by name.
	Home map[string]string
	// Env is what every session gets, NAME=value.
	Env []string
}

// Server is a running sshd and a client's configuration for it.
type Server struct {
	// Bin holds an ssh that knows the server by Host; it belongs first into a PATH.
	Bin string
	// Dir is the server's.
	Dir  string
	Port int
}

// Start starts a server, or skips the test where something for it is missing.
func Start(t *testing.T, o Options) *Server {
	t.Helper()
	daemon := "/usr/sbin/sshd"
	for _, program := range []string{daemon, "ssh", "ssh-keygen", "unshare", o.shell()} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("a private sshd needs root")
	}
	dir, err := os.MkdirTemp("", "gym-sshd-") //nolint:usetesting // a control socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Server{Bin: filepath.Join(dir, "bin"), Dir: dir, Port: freePort(t)}
	s.configure(t, o)
	cmd := exec.Command("unshare", "--mount", "--uts", "--propagation", "private", "sh", "-c", `
set -e
hostname `+Node+`
mount --bind "$1/passwd" /etc/passwd
mount -t tmpfs tmpfs /run
mkdir /run/sshd
exec "$2" -D -f "$1/sshd_config" -E "$1/log"
`, "sh", dir, daemon)
	proc.Start(t, cmd)
	wait.For(t, 20*time.Second, func() error {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
		if err == nil {
			conn.Close()
		}
		return err
	})
	return s
}

func (o Options) shell() string {
	if o.Shell == "" {
		return "/bin/sh"
	}
	return o.Shell
}

func (s *Server) configure(t *testing.T, o Options) {
	t.Helper()
	home := filepath.Join(s.Dir, "home")
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(s.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"hostkey", "key", "stranger"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(s.Dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	public, err := os.ReadFile(filepath.Join(s.Dir, "key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	write("authorized_keys", string(public), 0o600)
	write("passwd", fmt.Sprintf("root:x:0:0:root:%s:%s\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n", home, o.shell()), 0o644)
	env := ""
	for _, e := range o.Env {
		env += fmt.Sprintf(" \"%s\"", e)
	}
	if env != "" {
		env = "SetEnv" + env + "\n"
	}
	write("sshd_config", fmt.Sprintf(`Port %d
ListenAddress 127.0.0.1
HostKey %[2]s/hostkey
AuthorizedKeysFile %[2]s/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
PidFile none
LogLevel VERBOSE
%s`, s.Port, s.Dir, env), 0o600)
	write("home/.keep", "", 0o644)
	for name, text := range o.Home {
		write(filepath.Join("home", name), text, 0o644)
	}
	s.Configure(t, "")
	write("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s/ssh_config \"$@\"\n", systemSSH(), s.Dir), 0o755)
}

// Configure writes the client's configuration anew, with further lines first: of two lines for
// one option ssh takes the first.
func (s *Server) Configure(t *testing.T, first string) {
	t.Helper()
	text := fmt.Sprintf(`%s
Host %s
  HostName 127.0.0.1
  Port %d
  User root
  IdentityFile %s/key
  IdentitiesOnly yes
  UserKnownHostsFile %[4]s/known_hosts
`, first, Host, s.Port, s.Dir)
	if err := os.WriteFile(filepath.Join(s.Dir, "ssh_config"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Accepted counts the connections that were let in.
func (s *Server) Accepted(t *testing.T) int {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(log), "Accepted publickey")
}

// Sessions counts what ran over them.
func (s *Server) Sessions(t *testing.T) int {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(log), "Starting session")
}

func systemSSH() string {
	path, err := exec.LookPath("ssh")
	if err != nil {
		return "/usr/bin/ssh"
	}
	return path
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
