// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"fmt"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// Lanes hold a run to a number of jobs at a time: every job waits for the end of all that are
// before it in its lane, whatever that end is (afterany). The last one alone would not do: when it
// is cancelled while it waits, the one before it still runs. A lane may stand empty while another
// one has jobs left; the limit holds in any case, and needs no right to change the cluster. A
// nil *Lanes limits nothing.
type Lanes struct {
	last []string // the jobs that the next one of each lane waits for
	next int
}

// NewLanes makes that many lanes, which begin behind the end of jobs that are there already.
func NewLanes(jobs int, before ...string) *Lanes {
	if jobs <= 0 {
		return nil
	}
	const most = 100_000 // more than any file has benchmarks
	l := &Lanes{last: make([]string, min(jobs, most))}
	for i := range l.last {
		l.last[i] = strings.Join(before, ":")
	}
	return l
}

// options are sbatch's, of the next job.
func (l *Lanes) options() []string {
	if l == nil || l.last[l.next] == "" {
		return nil
	}
	return []string{"--dependency=afterany:" + l.last[l.next]}
}

// queued notes the job that took the place. One that was refused leaves it to the next.
func (l *Lanes) queued(id string) {
	if l != nil {
		l.last[l.next] = strings.TrimPrefix(l.last[l.next]+":"+id, ":")
		l.next = (l.next + 1) % len(l.last)
	}
}

// CheckLanes refuses dependencies of the file's own beside lanes: sbatch takes one of the two
// alone, without a word.
func CheckLanes(cfg *config.Config) error {
	name, cluster := cfg.Cluster()
	keys := map[string]config.Map[string]{"compute." + name: cluster.ExtraArgs}
	for _, p := range cluster.NodePools {
		keys["compute."+name+".node_pools."+p.Name] = p.Value.ExtraArgs
	}
	for key, options := range keys {
		if _, set := options.Get("dependency"); set {
			return fmt.Errorf("%s.extra_args.dependency: --max-parallel makes the jobs depend on one another, and sbatch takes one dependency alone: leave out one of the two", key)
		}
	}
	return nil
}
