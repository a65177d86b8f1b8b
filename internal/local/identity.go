// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package local

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ProcessKey is the key of executor_metadata for the gym-submit that runs one job after the
// other.
const ProcessKey = "process"

// Interrupted is why a benchmark was never started when the run was stopped before it.
const Interrupted = "interrupted before it was started"

// Alive reports whether the process of this id still runs. A later process with the same
// number is another one.
func Alive(id string) bool {
	pid, ok := pidOf(id)
	if !ok {
		return false
	}
	now, err := processID(pid)
	return err == nil && now == id && !zombie(pid)
}

// ErrGone says that a process had ended before it could be signalled.
var ErrGone = errors.New("the process has ended")

// Signal signals the process of this id and never another one that has its number by now: it
// takes hold of the process first, and looks then whether it is the right one.
func Signal(id string, signal syscall.Signal) error {
	pid, ok := pidOf(id)
	if !ok {
		return fmt.Errorf("%q is no id of a local job", id)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case errors.Is(err, unix.ENOSYS): // Linux before 5.3
		return signalByNumber(pid, id, signal)
	case err != nil:
		return fmt.Errorf("signal process %d: %w", pid, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if !Alive(id) {
		return ErrGone
	}
	return signalled(pid, unix.PidfdSendSignal(fd, signal, nil, 0))
}

func signalByNumber(pid int, id string, signal syscall.Signal) error {
	if !Alive(id) {
		return ErrGone
	}
	return signalled(pid, syscall.Kill(pid, signal))
}

func signalled(pid int, err error) error {
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case err != nil:
		return fmt.Errorf("signal process %d: %w", pid, err)
	}
	return nil
}

// pidOf reads the process number out of local-<pid>-<start time>.
func pidOf(id string) (pid int, ok bool) {
	rest, isLocal := strings.CutPrefix(id, "local-")
	number, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	return pid, isLocal && err == nil && pid > 0
}

// zombie is a process that has ended and whose parent has not asked yet.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	fields := statFields(string(stat))
	return len(fields) > 0 && (fields[0] == "Z" || fields[0] == "X")
}
