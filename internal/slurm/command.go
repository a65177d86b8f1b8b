// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience with a command of Slurm. A controller that is being restarted is waited for by
// the commands themselves, for longer than a person would.
const patience = 30 * time.Second

// output runs a command of Slurm and returns what it printed.
func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = plainEnv(os.Environ())
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := oneLine(stderr.String())
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not answer within %v: %s", name, patience, said)
	case errors.As(err, &exit):
		return "", fmt.Errorf("%s ended with code %d: %s", name, exit.ExitCode(), said)
	case err != nil:
		return "", fmt.Errorf("run %s: %w", name, err)
	}
	return stdout.String(), nil
}

// plainEnv leaves out the variables that stand for options of these commands: a filter from
// somebody's profile would make jobs look as if they were gone, or ask questions.
func plainEnv(environ []string) []string {
	var env []string
	for _, e := range environ {
		if !standsForOption(e) {
			env = append(env, e)
		}
	}
	return append(env, "SLURM_TIME_FORMAT=standard")
}

func standsForOption(variable string) bool {
	for _, prefix := range []string{"SQUEUE_", "SACCT_", "SCANCEL_", "SCONTROL_", "SLURM_TIME_FORMAT="} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return false
}
