// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package hardening

import "syscall"

func init() {
	if err := apply(); err != nil {
		// Going on would break the promise without a word, and neither call can fail
		// on a kernel that runs Go at all.
		println("gym-otelcol: cannot keep the token from other processes:", err.Error())
		syscall.Exit(1)
	}
}

func apply() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); errno != 0 {
		return errno
	}
	// The soft and the hard limit: this holds for children too, whose own execve would
	// make them dumpable again.
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
