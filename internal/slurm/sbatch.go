// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// jobID is what `sbatch --parsable` ends with: an id, on federations ";cluster" behind it.
var jobID = regexp.MustCompile(`^(\d+)(;\S+)?$`)

// Sbatch queues one script and returns its job id. Options win over those in the script. Its exit status, output and id are this
// script's alone, so that one refused job never shifts its neighbours' ids.
func Sbatch(ctx context.Context, script string, env []string, options ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "sbatch", append(append([]string{"--parsable"}, options...), script)...)
	cmd.Env = env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := oneLine(stderr.String())
	switch exit := (*exec.ExitError)(nil); {
	case errors.As(err, &exit):
		return "", fmt.Errorf("sbatch ended with code %d: %s", exit.ExitCode(), said)
	case err != nil:
		return "", fmt.Errorf("run sbatch: %w", err)
	}
	id, ok := parseJobID(stdout.String())
	if !ok {
		return "", fmt.Errorf("sbatch printed no job id: %s", oneLine(stdout.String()+"\n"+said))
	}
	return id, nil
}

// oneLine joins what a program said over several lines.
func oneLine(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// parseJobID reads the last word of sbatch's output; plugins may print lines before it.
func parseJobID(output string) (string, bool) {
	words := strings.Fields(output)
	if len(words) == 0 {
		return "", false
	}
	match := jobID.FindStringSubmatch(words[len(words)-1])
	if match == nil {
		return "", false
	}
	return match[1], true
}
