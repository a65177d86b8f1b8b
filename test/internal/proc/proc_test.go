// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

const soon = 10 * time.Second

func TestLineAndExitCode(t *testing.T) {
	p := Start(t, exec.Command("sh", "-c", "echo one; echo two >&2; exit 3"))
	if line := p.Line(t, soon, "tw"); line != "two" {
		t.Errorf("line %q", line)
	}
	if code := p.Wait(t, soon); code != 3 {
		t.Errorf("exit code %d", code)
	}
}

func TestStop(t *testing.T) {
	p := Start(t, exec.Command("sh", "-c", "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done"))
	p.Line(t, soon, "up")
	if code := p.Stop(t, soon); code != 7 || !strings.Contains(p.Output(), "bye") {
		t.Errorf("exit code %d, output %q", code, p.Output())
	}
	if code := Start(t, exec.Command("sleep", "1000")).Stop(t, soon); code != 128+15 {
		t.Errorf("exit code of a signal: %d", code)
	}
}

// A grandchild may not outlive the test, whatever became of its parent.
func TestNothingIsLeft(t *testing.T) {
	var pid int
	t.Run("start", func(t *testing.T) {
		p := Start(t, exec.Command("sh", "-c", "sleep 1000 & echo pid $!"))
		var err error
		if pid, err = strconv.Atoi(strings.TrimPrefix(p.Line(t, soon, "pid"), "pid ")); err != nil {
			t.Fatal(err)
		}
	})
	wait.For(t, soon, func() error {
		state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
		if err == nil && !strings.HasPrefix(string(state), "Z") {
			return fmt.Errorf("pid %d is %s", pid, state)
		}
		return nil
	})
}

func TestServes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	p := Start(t, exec.Command("sleep", "1000"))
	p.Serves(t, soon, server.URL)
	p.Signal(t, syscall.SIGKILL)
	if code := p.Wait(t, soon); code != 128+9 {
		t.Errorf("exit code %d", code)
	}
}

func TestFreePorts(t *testing.T) {
	ports, err := FreePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range ports {
		if seen[port] {
			t.Errorf("%d twice", port)
		}
		seen[port] = true
	}
}

func TestBuild(t *testing.T) {
	out, err := exec.Command(Build(t, t.TempDir(), "test/engine", "vllm")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "usage: vllm serve") {
		t.Errorf("%v: %s", err, out)
	}
}
