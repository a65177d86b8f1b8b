// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Limits of a connection. They are variables for the tests.
var (
	// connectLimit is for everything until the shell answers: name, network, proxies, keys, a
	// login that loads half a software stack.
	connectLimit = 45 * time.Second
	// networkLimit is for the network alone.
	networkLimit = 15 * time.Second
)

// connection is a live shell on another machine.
type connection struct {
	*shell
	options []string // for further ssh calls over the same connection
	dir     string   // of the control socket; empty when it is the user's own
	names   []string // of the variables there
	node    string   // what the machine calls itself
	has     map[string]bool
	banner  bool // its login prints something on stdout
}

// ConnectError is a machine that cannot be reached.
type ConnectError struct {
	Host string
	err  error
}

func (e *ConnectError) Error() string {
	return fmt.Sprintf("connect to %s over ssh: %v\n%s", e.Host, e.err, e.hint())
}

func (e *ConnectError) Unwrap() error { return e.err }

// hint says what to do. ssh is not asked for passwords, since a batch of jobs has nobody to
// type them.
func (e *ConnectError) hint() string {
	said := e.err.Error()
	has := func(words string) bool { return strings.Contains(said, words) }
	try := fmt.Sprintf("`ssh %s true` must work by itself, without a question", e.Host)
	switch {
	case has("REMOTE HOST IDENTIFICATION HAS CHANGED"), has("Host key verification failed"):
		return "its host key is not the one in your known_hosts: ask its administrator which is right, and remove the old one with `ssh-keygen -R`"
	case has("Permission denied"), has("Too many authentication failures"):
		return "it does not let you in by key: load your key into an agent with `ssh-add`, get a Kerberos ticket, or keep a connection open with ControlMaster in ~/.ssh/config, which is then used; " + try
	case has("Could not resolve hostname"):
		return "its name is not known: see compute.<name>.hostname and the Host entries of ~/.ssh/config"
	case has("Connection refused"), has("timed out"), has("No route to host"), has("Network is unreachable"), has("no answer within"):
		return "see whether you are in the right network (VPN) and whether the machine is up; " + try
	}
	return try
}

// connect starts ssh and waits for the shell behind it.
func connect(ctx context.Context, name string) (*connection, error) {
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		return nil, &ConnectError{name, errors.New("there is no ssh on the PATH of this machine")}
	}
	c := &connection{}
	if !usersOwn(ctx, ssh, name) {
		if c.dir, err = socketDir(); err != nil {
			return nil, &ConnectError{name, fmt.Errorf("make a directory for its socket: %w", err)}
		}
	}
	c.options = options(c.dir)
	args := append(append([]string{}, c.options...), "-T")
	if c.dir != "" {
		args = append(args, "-o", "ControlMaster=yes", "-o", "ControlPersist=no")
	}
	c.shell, err = startShell(exec.Command(ssh, append(args, "--", name, loop)...))
	if err == nil {
		err = c.greet(ctx)
	}
	if err != nil {
		c.close()
		return nil, &ConnectError{name, err}
	}
	return c, nil
}

// options are those of every ssh call. What the user's configuration says of forwarding,
// commands and terminals is for sessions of people.
func options(socketDir string) []string {
	words := []string{
		"BatchMode=yes", "StrictHostKeyChecking=accept-new",
		fmt.Sprintf("ConnectTimeout=%d", max(1, int(networkLimit.Seconds()))),
		"ServerAliveInterval=15", "ServerAliveCountMax=3",
		"ClearAllForwardings=yes", "ForwardX11=no", "ForwardAgent=no",
		"PermitLocalCommand=no", "RemoteCommand=none", "RequestTTY=no",
	}
	if socketDir != "" {
		words = append(words, "ControlPath="+filepath.Join(socketDir, "s"))
	}
	var args []string
	for _, w := range words {
		args = append(args, "-o", w)
	}
	return args
}

// usersOwn reports whether the user keeps a connection open that further ones may share: where
// a login takes a second factor it is the only way in.
func usersOwn(ctx context.Context, ssh, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, ssh, "-o", "BatchMode=yes", "-O", "check", "--", name).Run() == nil
}

// plainPath is one that ssh's configuration and rsync take as it stands.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9/._+-]{1,60}$`)

// socketDir is private, and its name is plain and short: a socket's path has at most 107 bytes,
// and ssh adds some for a while.
func socketDir() (string, error) {
	parent := os.TempDir()
	if !plainPath.MatchString(parent) {
		parent = "/tmp"
	}
	return os.MkdirTemp(parent, "gym-ssh-")
}

// programs that are looked for at the beginning.
const programs = "rsync tar gzip"

// greet waits for the shell's first answer, and learns what the machine is like.
func (c *connection) greet(ctx context.Context) error {
	var out bytes.Buffer
	r := &request{
		what: "the first request", limit: connectLimit, stdout: &out,
		script: `uname -n; for gym_p in ` + programs + `; do command -v $gym_p >/dev/null 2>&1 && echo "has $gym_p"; done; ` +
			`env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/name \1/p'`,
	}
	if err := c.do(ctx, r); err != nil {
		return c.whyNot(err)
	}
	c.has = map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case i == 0:
			c.node = line
		case kind == "has":
			c.has[rest] = true
		case kind == "name":
			c.names = append(c.names, rest)
		}
	}
	c.banner = c.out.stray.String() != ""
	return nil
}

// whyNot prefers the end of ssh, and what it said, to the word that there is no connection.
func (c *connection) whyNot(err error) error {
	if end, ok := errors.AsType[*endError](err); ok {
		return end
	}
	if c.why != nil && errors.Is(err, ErrLost) {
		return c.why
	}
	return err
}

func (c *connection) close() {
	if c.shell != nil {
		c.shell.close()
	}
	if c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
}
