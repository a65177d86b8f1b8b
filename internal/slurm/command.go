// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := strings.Join(strings.Fields(stderr.String()), " ")
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
