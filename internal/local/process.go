// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// processID names a process beyond doubt: local-<pid>-<start time>, the start time in clock
// ticks since boot. job.sh computes the same of itself.
func processID(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", fmt.Errorf("read the start time of process %d: %w", pid, err)
	}
	fields := statFields(string(stat))
	if len(fields) < 20 {
		return "", fmt.Errorf("read the start time of process %d: unexpected /proc/%d/stat", pid, pid)
	}
	return fmt.Sprintf("local-%d-%s", pid, fields[19]), nil
}

// statFields are the fields of /proc/<pid>/stat from the third on (state, parent, …): the
// second is a name in parentheses that may hold blanks.
func statFields(stat string) []string {
	return strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
}

// CloseMemory keeps other processes of this user out of this one's memory, which holds the
// token while jobs run.
func CloseMemory() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// SurviveBrokenPipes lets this program go on when nobody reads its output any more: that must
// not take the jobs along. The signal is caught and not ignored, because the jobs would
// inherit the latter.
func SurviveBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// adoptOrphans makes processes whose parent in the job is gone children of this one, so that
// none of them can outlive the job, as none outlives a Slurm step. It returns the children
// that this process has already, which are none of the job's: a shell may have started them
// before it became this program.
func adoptOrphans() (own []int) {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return childProcesses(os.Getpid())
}

// killOrphans ends what a job left behind. It looks again until nothing is left: a killed
// process hands its own children over.
func killOrphans(own []int) {
	for range 100 {
		children := slices.DeleteFunc(childProcesses(os.Getpid()), func(pid int) bool { return slices.Contains(own, pid) })
		if len(children) == 0 {
			return
		}
		for _, pid := range children {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			var status syscall.WaitStatus
			_, _ = syscall.Wait4(pid, &status, 0, nil)
		}
	}
}

func childProcesses(parent int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var children []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		if fields := statFields(string(stat)); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}

// tick is how often the log of a running job is looked at.
func tick() <-chan time.Time { return time.After(100 * time.Millisecond) }
