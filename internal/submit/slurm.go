// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// Queue hands the jobs of a staged run to Slurm: those of the named benchmarks, or all. What
// one sbatch says is noted with its own benchmark, and the rest is submitted all the same.
func Queue(ctx context.Context, record *run.Record, only []string, lanes *Lanes) {
	env := sbatchEnv(os.Environ())
	for i := range record.Benchmarks {
		b := &record.Benchmarks[i]
		if len(only) > 0 && !slices.Contains(only, b.Benchmark) {
			continue
		}
		id, err := slurm.Sbatch(ctx, filepath.Join(b.JobDir, run.ScriptName), env, lanes.options()...)
		if err != nil {
			reason := err.Error()
			b.Error = &reason
			continue
		}
		b.JobID = &id
		lanes.queued(id)
	}
}

// sbatchEnv is this shell's environment, which sbatch carries into the job, the token
// included. What would speak to sbatch and srun over the file's head stays here: SBATCH_* are
// options that win over #SBATCH lines, and SLURM_* of an allocation around this shell describe
// another job.
func sbatchEnv(environ []string) []string {
	var env []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if !SpeaksToSlurm(name) && name != local.TokenFDVariable {
			env = append(env, e)
		}
	}
	return env
}

// SpeaksToSlurm tells variables that change what Slurm's commands do. Where the cluster is
// stays known.
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

// ignoredOptions are options of sbatch that the submitting shell sets and the job does not get.
func ignoredOptions(environ []string) (names []string) {
	for _, e := range environ {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "SBATCH_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
