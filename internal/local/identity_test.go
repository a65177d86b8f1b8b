// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// child starts a process that ends only when it is signalled.
func child(t *testing.T) (id string, wait func() error) {
	t.Helper()
	cmd := exec.Command("sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	id, err := processID(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return id, cmd.Wait
}

func TestSignalReachesTheProcessOfTheID(t *testing.T) {
	id, wait := child(t)
	if !Alive(id) {
		t.Fatalf("%s is not alive", id)
	}
	if err := Signal(id, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	err := wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGUSR1 {
		t.Errorf("it ended with %v", err)
	}
	if Alive(id) {
		t.Error("it is alive after its end")
	}
	if err := Signal(id, syscall.SIGUSR1); !errors.Is(err, ErrGone) {
		t.Errorf("a signal after the end: %v", err)
	}
}

// A process that has the number of an earlier job is not that job.
func TestSignalSparesTheNextProcessOfTheNumber(t *testing.T) {
	id, _ := child(t)
	number := strings.Split(id, "-")[1]
	earlier := fmt.Sprintf("local-%s-1", number)
	if Alive(earlier) {
		t.Errorf("%s is taken for %s", id, earlier)
	}
	if err := Signal(earlier, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("signalled %s: %v", earlier, err)
	}
	if pid, _ := pidOf(id); signalByNumber(pid, earlier, syscall.SIGKILL) == nil {
		t.Error("signalled by number alone")
	}
	if !Alive(id) {
		t.Error("the other process was hit")
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	id, _ := child(t)
	if err := Signal(id, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for Alive(id) { // nobody waits for it, so that it stays a zombie
	}
	pid, _ := pidOf(id)
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
		t.Errorf("it is no zombie: %v", err)
	}
}

func TestNoIDIsNobody(t *testing.T) {
	for _, id := range []string{"", "4711", "local-", "local-x-1", "local--1-1", "local-0-1"} {
		if Alive(id) || Signal(id, 0) == nil {
			t.Errorf("%q stands for a process", id)
		}
	}
}
