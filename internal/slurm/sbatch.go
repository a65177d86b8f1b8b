// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// jobID is what `sbatch --parsable` ends with: an id, on federations ";cluster" behind it.
var jobID = regexp.MustCompile(`^(\d+)(;\S+)?$`)

// sbatchLimit is longer than sbatch itself tries to reach a controller: one that is given up
// may have queued the job all the same.
const sbatchLimit = 5 * time.Minute

// Sbatch queues one script and returns its job id. Its exit status, output and id are this
// script's alone, so that one refused job never shifts its neighbours' ids. Of the machine's
// environment the job gets what passes without, and env beside it. Options win over those in
// the script.
func Sbatch(ctx context.Context, h host.Host, script string, without func(string) bool, env []string, options ...string) (string, error) {
	stdout, stderr, err := h.Run(ctx, host.Command{
		Args: append(append([]string{"sbatch", "--parsable"}, options...), script), Without: without, Env: env, Limit: sbatchLimit,
	})
	if err != nil {
		return "", err
	}
	id, ok := parseJobID(stdout)
	if !ok {
		return "", fmt.Errorf("sbatch printed no job id: %s", host.OneLine(stdout+"\n"+stderr))
	}
	return id, nil
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
