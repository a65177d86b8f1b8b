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
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/blank"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// Queue is the way of a run's jobs to Slurm.
type Queue struct {
	host  host.Host
	lanes *Lanes
	env   []string // what the jobs get beside the host's own environment
	token string   // what no message may repeat
	// withheld is the variable of a token that nobody in the job needs, empty for none.
	withheld string
	// keep is called before each sbatch, so that a gym-submit that is killed leaves a record of the jobs until then.
	keep func()
}

// NewQueue looks up what the jobs of a submission get of this shell. It calls keep before each sbatch.
func NewQueue(h host.Host, cfg *config.Config, lanes *Lanes, opt config.Options, keep func()) Queue {
	q := Queue{host: h, lanes: lanes, env: handedOver(h, cfg, opt), keep: keep}
	if cfg.Otel.UsesFile() {
		return q
	}
	if opt.LookupEnv != nil {
		q.token, _ = opt.LookupEnv(cfg.Otel.TokenEnv)
	}
	// Without a collector nothing in the job takes it out of the environment.
	if !cfg.CollectorActive() && !slices.Contains(cfg.ShellVariables(), cfg.Otel.TokenEnv) {
		q.withheld = cfg.Otel.TokenEnv
	}
	return q
}

// Submit hands the jobs of a staged run to Slurm: those of the named benchmarks, or all. What
// one sbatch says is noted with its own benchmark, and the rest is submitted all the same, as
// long as there is a way to submit it.
func (q Queue) Submit(ctx context.Context, record *run.Record, only []string) {
	var mine []*run.BenchmarkRecord
	for i := range record.Benchmarks {
		if b := &record.Benchmarks[i]; len(only) == 0 || slices.Contains(only, b.Benchmark) {
			mine = append(mine, b)
			b.Error = &notYet
		}
	}
	for _, b := range mine {
		if ctx.Err() != nil {
			leave(mine, "gym-submit was interrupted before it was submitted")
			return
		}
		b.Error = q.underway(b)
		q.keep()
		// An sbatch that was begun is heard to its end.
		id, reason, open := q.submit(context.WithoutCancel(ctx), b)
		b.Error = nil
		if reason != "" {
			// A site's sbatch may repeat the environment that it was given.
			reason = string(blank.Token([]byte(reason), q.token))
			b.Error = &reason
		} else {
			b.JobID = &id
			q.lanes.queued(id)
		}
		if !open {
			leave(mine, "not submitted: the connection to "+q.host.Name()+" was lost before")
			return
		}
	}
}

// notYet stands in the record of a submission that was killed.
var notYet = "gym-submit ended before it was submitted"

// underway is what is known of a benchmark while sbatch runs.
func (q Queue) underway(b *run.BenchmarkRecord) *string {
	text := fmt.Sprintf("%sgym-submit ended while sbatch ran (find out with: %s)", run.NotKnown, q.howToFindOut(b.JobDir))
	return &text
}

// leave says why the rest was not submitted.
func leave(rest []*run.BenchmarkRecord, why string) {
	for _, b := range rest {
		if b.Error == &notYet {
			b.Error = &why
		}
	}
}

// How often and when the queue is looked at again for a job that may come yet.
const (
	looks     = 3
	lookAgain = 2 * time.Second
)

// submit queues one job. It returns its id, or why there is none, and whether the next one may
// be tried.
func (q Queue) submit(ctx context.Context, b *run.BenchmarkRecord) (id, reason string, open bool) {
	id, err := slurm.Sbatch(ctx, q.host, filepath.Join(b.JobDir, run.ScriptName), q.keptBack, q.env, q.lanes.options()...)
	lost := errors.Is(err, host.ErrLost)
	switch {
	case err == nil:
		return id, "", true
	case !lost && !errors.Is(err, slurm.ErrUnclear):
		return "", err.Error(), true
	}
	// sbatch was called, and what it did was not heard or is not clear. Slurm knows: the job's
	// directory is its own alone.
	id, lookErr := q.look(ctx, b, lost)
	switch {
	case id != "":
		return id, "", true
	case lookErr == nil && !lost:
		return "", fmt.Sprintf("%v, and no job of %s is in the queue", err, b.JobDir), true
	}
	return "", fmt.Sprintf("%s%v (find out with: %s)", run.NotKnown, err, q.howToFindOut(b.JobDir)), lookErr == nil || !lost
}

// look asks Slurm for the job of a benchmark; after a lost connection several times, because the sbatch over there may
// have outlived it.
func (q Queue) look(ctx context.Context, b *run.BenchmarkRecord, lost bool) (id string, err error) {
	id, err = slurm.JobIn(ctx, q.host, b.JobDir, b.PreviousJobIDs)
	for range looks {
		if !lost || err != nil || id != "" {
			break
		}
		time.Sleep(lookAgain)
		id, err = slurm.JobIn(ctx, q.host, b.JobDir, b.PreviousJobIDs)
	}
	return id, err
}

func (q Queue) howToFindOut(dir string) string {
	command := `squeue --me --format="%i %Z" | grep -F ` + dir
	if name := q.host.Name(); name != "" {
		command = "ssh " + name + " '" + command + "'"
	}
	return command
}

// handedOver is what the job gets of this shell. On this machine sbatch carries all of it. On
// another it carries that machine's environment, and of this one's what the file refers to.
func handedOver(h host.Host, cfg *config.Config, opt config.Options) (env []string) {
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

// keptFromJobs tells variables of the host that no job gets.
func keptFromJobs(name string) bool {
	return SpeaksToSlurm(name) || name == local.TokenFDVariable || slices.Contains(connection, name)
}

// connection are the variables of an ssh session. A bash -c that finds one, and that it is the first
// shell, takes itself for one that sshd started and reads the user's ~/.bashrc.
var connection = []string{"SSH_CLIENT", "SSH2_CLIENT", "SSH_CONNECTION", "SSH_TTY"}

// keptBack tells those that the jobs of this submission do not get.
func (q Queue) keptBack(name string) bool {
	return keptFromJobs(name) || name == q.withheld && name != ""
}

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
