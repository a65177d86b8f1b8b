// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// Queue hands the jobs of a staged run to Slurm: those of the named benchmarks, or all. What
// one sbatch says is noted with its own benchmark, and the rest is submitted all the same, as
// long as there is a way to submit it. The jobs get env beside the host's own environment.
func Queue(ctx context.Context, h host.Host, record *run.Record, only []string, lanes *Lanes, env []string) {
	q := queue{h, env, lanes}
	stop := ""
	for i := range record.Benchmarks {
		b := &record.Benchmarks[i]
		if len(only) > 0 && !slices.Contains(only, b.Benchmark) {
			continue
		}
		if ctx.Err() != nil {
			stop = "gym-submit was interrupted before it was submitted"
		}
		if stop != "" {
			b.Error = &stop
			continue
		}
		// An sbatch that was begun is heard to its end.
		id, reason, open := q.submit(context.WithoutCancel(ctx), b.JobDir)
		if reason != "" {
			b.Error = &reason
		} else {
			b.JobID = &id
			lanes.queued(id)
		}
		if !open {
			stop = "not submitted: the connection to " + h.Name() + " was lost before"
		}
	}
}

// queue is the way to one Slurm.
type queue struct {
	host  host.Host
	env   []string
	lanes *Lanes
}

// submit queues one job. It returns its id, or why there is none, and whether the next one may
// be tried.
func (q queue) submit(ctx context.Context, dir string) (id, reason string, open bool) {
	id, err := slurm.Sbatch(ctx, q.host, filepath.Join(dir, run.ScriptName), keptFromJobs, q.env, q.lanes.options()...)
	switch {
	case err == nil:
		return id, "", true
	case !errors.Is(err, host.ErrLost):
		return "", err.Error(), true
	}
	// sbatch was called, and nobody heard what it did. Slurm knows: the job's directory is its
	// own alone.
	id, lookErr := slurm.JobIn(ctx, q.host, dir)
	switch {
	case lookErr != nil:
		return "", fmt.Sprintf("%s%v (find out with: %s)", run.NotKnown, err, q.howToFindOut(dir)), false
	case id == "":
		return "", fmt.Sprintf("%v, and no job of %s is in the queue", err, dir), true
	}
	return id, "", true
}

func (q queue) howToFindOut(dir string) string {
	command := `squeue --me --format="%i %Z" | grep -F ` + dir
	if name := q.host.Name(); name != "" {
		command = "ssh " + name + " '" + command + "'"
	}
	return command
}

// HandedOver is what the job gets of this shell. On this machine sbatch carries all of it. On
// another it carries that machine's environment, and of this one's what the file refers to.
func HandedOver(h host.Host, cfg *config.Config, opt config.Options) (env []string) {
	if h.Name() == "" || opt.LookupEnv == nil {
		return nil
	}
	for _, name := range cfg.ShellVariables() {
		if value, set := opt.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// keptFromJobs tells variables of the host that a job does not get.
func keptFromJobs(name string) bool { return SpeaksToSlurm(name) || name == local.TokenFDVariable }

// SpeaksToSlurm tells variables that change what Slurm's commands do over the file's head:
// SBATCH_* are options that win over #SBATCH lines, and SLURM_* of an allocation around the
// shell describe another job. Where the cluster is stays known.
func SpeaksToSlurm(name string) bool {
	switch name {
	case "SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS":
		return false
	}
	for _, prefix := range []string{"SBATCH_", "SLURM_", "SLURMD_", "SRUN_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
