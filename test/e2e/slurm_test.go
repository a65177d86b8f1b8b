// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/slurmcluster"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// slurmSite runs the job on a private real Slurm of one node.
type slurmSite struct{ cluster *slurmcluster.Cluster }

// newSlurmSite starts the cluster, or skips the test where Slurm is missing.
func newSlurmSite(t *testing.T) *slurmSite {
	t.Helper()
	return &slurmSite{slurmcluster.Start(t, slurmcluster.Options{})}
}

func (*slurmSite) compute(walltime string) string {
	text := "    type: slurm\n    account: eval\n    node_pools: {gpu: {partition: batch, gpus_per_node: 4}}\n"
	if walltime != "" {
		text += fmt.Sprintf("    walltime: %q\n", walltime)
	}
	return text
}

func (s *slurmSite) environ() []string { return s.cluster.Env() }

// ids of the jobs by benchmark, once gym-submit has queued them.
func (s *slurmSite) ids(t *testing.T, call *submitted) map[string]string {
	t.Helper()
	if code := call.exit(t); code != 0 {
		t.Fatalf("gym-submit ended with code %d: %s%s", code, call.stdout.String(), call.stderr.String())
	}
	ids := map[string]string{}
	for line := range strings.Lines(call.stdout.String()) {
		var benchmark, id string
		if _, err := fmt.Sscanf(line, "submitted %s → Slurm job %s", &benchmark, &id); err == nil {
			ids[benchmark] = id
		}
	}
	if len(ids) == 0 {
		t.Fatalf("gym-submit named no job: %s", call.stdout.String())
	}
	return ids
}

func (s *slurmSite) wait(t *testing.T, call *submitted) map[string]int {
	t.Helper()
	codes := map[string]int{}
	for benchmark, id := range s.ids(t, call) {
		job := s.cluster.Wait(t, id, 2*time.Minute)
		codes[benchmark] = job.ExitCode
	}
	return codes
}

func (s *slurmSite) stop(t *testing.T, call *submitted, signal syscall.Signal) {
	t.Helper()
	for _, id := range s.ids(t, call) {
		s.cluster.Run(t, "scancel", "--batch", fmt.Sprintf("--signal=%d", int(signal)), id)
	}
}

func (s *slurmSite) showsNothing(t *testing.T, job, text string) {
	t.Helper()
	if shown := s.cluster.Run(t, "scontrol", "show", "job", "--details", job); strings.Contains(shown, text) {
		t.Errorf("scontrol shows the token:\n%s", shown)
	}
}

// idle wants an empty queue, an idle node and no process of the test's programs.
func (s *slurmSite) idle(t *testing.T) {
	t.Helper()
	wait.For(t, 15*time.Second, func() error {
		if queue, err := s.cluster.Squeue(); err != nil || strings.TrimSpace(queue) != "" {
			return fmt.Errorf("squeue still shows: %s (%w)", queue, err)
		}
		if !s.cluster.NodeIdle() {
			return fmt.Errorf("the node is not idle")
		}
		if left := running(programs); len(left) > 0 {
			return fmt.Errorf("still running: %s", strings.Join(left, ", "))
		}
		return nil
	})
}
