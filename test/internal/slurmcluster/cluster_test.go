// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

const soon = 60 * time.Second

func TestJobsOfRootAndOthers(t *testing.T) {
	c := Start(t, Options{})
	if !c.NodeIdle() {
		t.Error("the node is not idle at the start")
	}

	id := c.MustSubmit(t, "#!/bin/sh\nexit 7\n", "--output=/dev/null")
	if job := c.Wait(t, id, soon); job.State != "FAILED" || job.ExitCode != 7 || job.ID != id {
		t.Errorf("%+v", job)
	}

	home, err := c.UserDir("nobody")
	if err != nil {
		t.Fatal(err)
	}
	cmd := c.Command("sbatch", "--parsable", "--wait", "--output=out")
	cmd.Dir = home
	cmd.Stdin = strings.NewReader("#!/bin/sh\nsrun --overlap id -un\necho $HOME\n")
	if err := c.As("nobody", cmd); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := os.ReadFile(filepath.Join(home, "out")); err != nil || string(out) != "nobody\n"+home+"\n" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestTwoJobsShareANodeAndTwoNodesAJob(t *testing.T) {
	c := Start(t, Options{Nodes: 2})
	const sleep = "#!/bin/sh\nsleep 1000\n"
	one := c.MustSubmit(t, sleep, "--nodelist=n1", "--gpus-per-node=4", "--output=/dev/null")
	two := c.MustSubmit(t, sleep, "--nodelist=n1", "--gpus-per-node=4", "--output=/dev/null")
	c.WaitState(t, one, "RUNNING", soon)
	c.WaitState(t, two, "RUNNING", soon)
	if out := c.Run(t, "srun", "--nodes=2", "--label", "sh", "-c", "echo $SLURMD_NODENAME"); !strings.Contains(out, "0: n1") || !strings.Contains(out, "1: n2") {
		t.Errorf("srun on two nodes: %s", out)
	}
	// The third one may take a moment to leave.
	wait.For(t, soon, func() error {
		if queue, err := c.Squeue(); err != nil || strings.Count(queue, "\n") != 1 {
			return fmt.Errorf("want two jobs in the queue: %s (%w)", queue, err)
		}
		return nil
	})
}

// What a job leaves behind goes with the cluster.
func TestCloseLeavesNothing(t *testing.T) {
	if err := Missing(); err != nil {
		t.Skip(err)
	}
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(c.Dir(), "pid")
	id := c.MustSubmit(t, "#!/bin/sh\nsetsid sleep 1000 & echo $! >"+pidFile+"\nwait\n", "--output=/dev/null")
	c.WaitState(t, id, "RUNNING", soon)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if left := c.leftovers(); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
	if _, err := os.Stat(c.Dir()); !os.IsNotExist(err) {
		t.Errorf("directory left: %v", err)
	}
}

// A daemon that cannot start says why.
func TestBadConfiguration(t *testing.T) {
	if err := Missing(); err != nil {
		t.Skip(err)
	}
	_, err := New(Options{Extra: []string{"NoSuchKey=1"}})
	if err == nil || !strings.Contains(err.Error(), "NoSuchKey") {
		t.Error(err)
	}
}

func TestFurtherPartition(t *testing.T) {
	c := Start(t, Options{GPUs: -1, Extra: []string{"PartitionName=urgent Nodes=ALL PriorityTier=10"}})
	id := c.MustSubmit(t, "#!/bin/sh\n", "--partition=urgent", "--output=/dev/null")
	if job := c.Wait(t, id, soon); job.State != "COMPLETED" {
		t.Errorf("%+v", job)
	}
}

func TestLongDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	err := layout{dir}.write(Options{}.withDefaults(), accounting{}, "host", []int{1, 2})
	if err == nil || !strings.Contains(err.Error(), "too long for a socket") {
		t.Error(err)
	}
}

// Slurm forgets a job after a while; its accounts do not.
func TestAccounting(t *testing.T) {
	c := Start(t, Options{Accounting: true})
	c.Run(t, "sacctmgr", "--immediate", "add", "account", "eval")
	c.Run(t, "sacctmgr", "--immediate", "add", "user", "root", "account=eval")
	id := c.MustSubmit(t, "#!/bin/sh\nexit 7\n", "--output=/dev/null", "--account=eval")
	c.Wait(t, id, soon)
	wait.For(t, soon, func() error {
		if got := c.Run(t, "sacct", "--noheader", "--parsable2", "--allocations", "--format=JobIDRaw,State,ExitCode,Account", "--jobs="+id); got != id+"|FAILED|7:0|eval" {
			return fmt.Errorf("sacct says %q", got)
		}
		return nil
	})
}
