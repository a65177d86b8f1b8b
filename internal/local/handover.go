// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package local runs the jobs of a submission on this machine, one benchmark after another,
// in the foreground. The job script is the one that Slurm would run.
package local

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// tokenFD is where the token waits in a process that was started with it; job.sh reads the
// same descriptor.
const tokenFD = 3

// TokenFDVariable tells job.sh so.
const TokenFDVariable = "GYM_TOKEN_FD"

// Continue replaces this process by `program args…` with the variable that holds the token
// taken out of the environment and its value in a pipe: as long as the jobs run, whatever
// else runs under this uid reads an environment without it. It returns only on failure.
func Continue(program string, args []string, tokenVariable, token string) error {
	if token != "" {
		if err := moveToPipe(token); err != nil {
			return fmt.Errorf("hand over the token: %w", err)
		}
	}
	return syscall.Exec(program, args, without(without(os.Environ(), tokenVariable), TokenFDVariable))
}

// moveToPipe leaves token in a pipe whose reading end is tokenFD.
func moveToPipe(token string) error {
	r, err := pipeWith(token)
	if err != nil {
		return err
	}
	if int(r.Fd()) == tokenFD {
		_, err = unix.FcntlInt(r.Fd(), unix.F_SETFD, 0) // stays open across exec
		return err
	}
	return unix.Dup3(int(r.Fd()), tokenFD, 0)
}

// pipeWith returns the reading end of a pipe that holds text and ends there.
func pipeWith(text string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// A pipe holds at least 4 KiB without a reader; validation keeps tokens shorter.
	if _, err = w.WriteString(text); err == nil {
		err = w.Close()
	}
	return r, err
}

// without returns the environment less one variable.
func without(environ []string, name string) []string {
	var kept []string
	for _, e := range environ {
		if name == "" || !strings.HasPrefix(e, name+"=") {
			kept = append(kept, e)
		}
	}
	return kept
}
