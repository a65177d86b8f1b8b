// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const secret = "s3cr3t-canary"

// TestEnvironmentIsPrivate reads /proc/<pid>/environ of a running collector the way
// another step of the job can: as a process of the same user, without privileges.
func TestEnvironmentIsPrivate(t *testing.T) {
	user := ordinaryUser(t)

	plain := start(t, user, "/bin/cat")
	if environ, err := user.read(fmt.Sprintf("/proc/%d/environ", plain)); !strings.Contains(environ, secret) {
		t.Skipf("this machine hides the environment of every process (%v: %s), so nothing can be shown", err, environ)
	}

	collector := start(t, user, user.executable)
	for _, file := range []string{"environ", "mem", "maps", "auxv"} {
		path := fmt.Sprintf("/proc/%d/%s", collector, file)
		if content, err := user.read(path); err == nil {
			t.Errorf("%s: another process of the same user reads %d bytes of it (token among them: %t)",
				path, len(content), strings.Contains(content, secret))
		}
	}
}

func TestNoCoreFile(t *testing.T) {
	user := ordinaryUser(t)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", start(t, user, user.executable)))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(limits)) {
		if name, values, ok := strings.Cut(line, "size"); ok && strings.TrimSpace(name) == "Max core file" {
			if got := strings.Fields(values); got[0] != "0" || got[1] != "0" {
				t.Errorf("core file size: soft %s, hard %s, want 0 and 0", got[0], got[1])
			}
			return
		}
	}
	t.Errorf("no core file limit in:\n%s", limits)
}

// account is who the test's processes run as.
type account struct {
	credential *syscall.Credential // nil: whoever runs the test
	executable string              // the test binary, where the account can reach it
}

// ordinaryUser is this user, or nobody when this is root, whom no file mode stops.
func ordinaryUser(t *testing.T) account {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		return account{executable: executable}
	}
	// The go command's directory is closed to others, and so is t.TempDir's parent.
	dir, err := os.MkdirTemp("", "gym-otelcol-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(executable)
	if err != nil {
		t.Fatal(err)
	}
	reachable := filepath.Join(dir, "gym-otelcol.test")
	if err := os.WriteFile(reachable, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	return account{
		credential: &syscall.Credential{Uid: nobody, Gid: nobody},
		executable: reachable,
	}
}

func (a account) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	if a.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	}
	return cmd
}

// read is what `head -c` of another process of this account gets.
func (a account) read(path string) (string, error) {
	out, err := a.command("head", "-c", "4096", path).CombinedOutput()
	return string(out), err
}

// start runs a program with the secret in its environment and returns its pid as soon
// as its initialisation is over.
func start(t *testing.T, a account, program string) int {
	t.Helper()
	cmd := a.command(program)
	cmd.Env = []string{roleEnv + "=" + roleWait, "OTEL_TOKEN=" + secret}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	// cat gives the line back, the helper writes one of its own.
	if _, err := stdin.Write([]byte("ready\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%s did not start: %v", program, err)
	}
	return cmd.Process.Pid
}
