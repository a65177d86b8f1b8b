// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// jobIDLine is what `sbatch --parsable` prints: an id, on federations ";cluster" behind it.
// What stands in front of a wrapper's sbatch may leave out the option.
var jobIDLine = regexp.MustCompile(`^(?:Submitted batch job )?([1-9]\d{0,9})(?:;\S+| on cluster \S+)?$`)

// ErrUnclear says that sbatch ended and did not make clear whether it queued a job, or which.
var ErrUnclear = errors.New("it is not clear what sbatch did")

// sbatchLimit is longer than sbatch itself tries to reach a controller: one that is given up
// may have queued the job all the same.
const sbatchLimit = 5 * time.Minute

// Sbatch queues one script and returns its job id. Its exit status, output and id are this
// script's alone, so that one refused job never shifts its neighbours' ids. Of the machine's
// environment the job gets what passes without, and env beside it. Options win over those in
// the script. ErrUnclear and host.ErrLost ask for a look into the queue.
func Sbatch(ctx context.Context, h host.Host, script string, without func(string) bool, env []string, options ...string) (string, error) {
	stdout, stderr, err := h.Run(ctx, host.Command{
		Args: append(append([]string{"sbatch", "--parsable"}, options...), script), Without: without, Env: env, Limit: sbatchLimit,
	})
	ids := jobIDs(stdout)
	exit, ended := errors.AsType[*host.ExitError](err)
	switch {
	case err == nil && len(ids) == 1:
		return ids[0], nil
	case err == nil && len(ids) == 0:
		return "", unclear{strings.TrimSuffix("sbatch printed no job id: "+host.OneLine(stdout+"\n"+stderr), ": ")}
	case err == nil:
		return "", unclear{"sbatch printed more than one job id: " + host.OneLine(stdout)}
	case !ended:
		return "", err
	}
	// A job that was refused has no id, and sbatch lived to say so.
	exit.Stderr = stdout + "\n" + stderr
	if len(ids) > 0 || exit.Killed() {
		return "", unclear{exit.Error()}
	}
	return "", exit
}

// unclear is what is known of an sbatch.
type unclear struct{ what string }

func (u unclear) Error() string      { return u.what }
func (unclear) Is(target error) bool { return target == ErrUnclear }

// jobIDs finds the ids in sbatch's output. Plugins may print lines before and after it, and
// numbers in them.
func jobIDs(output string) (ids []string) {
	for line := range strings.Lines(output) {
		match := jobIDLine.FindStringSubmatch(strings.TrimSpace(line))
		if len(match) > 0 && !slices.Contains(ids, match[1]) {
			ids = append(ids, match[1])
		}
	}
	return ids
}
