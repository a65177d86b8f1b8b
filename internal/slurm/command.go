// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"errors"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// output runs a command of Slurm and returns what it printed.
func output(ctx context.Context, h host.Host, name string, args ...string) (string, error) {
	stdout, _, err := h.Run(ctx, host.Command{
		Args: append([]string{name}, args...), Without: standsForOption, Env: []string{"SLURM_TIME_FORMAT=standard"},
	})
	if err != nil {
		return "", err
	}
	return stdout, nil
}

// standsForOption tells the variables that stand for options of these commands: a filter from
// somebody's profile would make jobs look as if they were gone, or ask questions.
func standsForOption(variable string) bool {
	for _, prefix := range []string{"SQUEUE_", "SACCT_", "SCANCEL_", "SCONTROL_"} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return variable == "SLURM_TIME_FORMAT"
}

// said reports whether a command complained in these words.
func said(err error, words string) bool {
	exit, ok := errors.AsType[*host.ExitError](err)
	return ok && strings.Contains(exit.Error(), words)
}
