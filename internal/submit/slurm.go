// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// Queue hands every job of a staged plan to Slurm. What one sbatch says is noted with its own
// benchmark, and the rest is submitted all the same.
func Queue(ctx context.Context, plan *run.Plan, record *run.Record) {
	env := sbatchEnv(os.Environ())
	for i, b := range plan.Benchmarks {
		id, err := slurm.Sbatch(ctx, filepath.Join(b.Dir, run.ScriptName), env)
		if err != nil {
			reason := err.Error()
			record.Benchmarks[i].Error = &reason
			continue
		}
		record.Benchmarks[i].JobID = &id
	}
}

// sbatchEnv is this shell's environment: sbatch carries it into the job, the token included,
// unless SBATCH_EXPORT of the user's own profile narrows it.
func sbatchEnv(environ []string) []string {
	var env []string
	for _, e := range environ {
		if !strings.HasPrefix(e, "SBATCH_EXPORT=") {
			env = append(env, e)
		}
	}
	return env
}
