// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// Cluster is a running Slurm.
type Cluster struct {
	options    Options
	files      layout
	temporary  bool
	accounting accounting
	daemons    []*daemon
	complete   bool // all daemons were started
}

const controller = "slurmctld"

// startTime is how long the daemons may take; on an idle machine it is about a second.
const startTime = 30 * time.Second

// Missing says what keeps a cluster from running here, or returns nil.
func Missing() error {
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch", "srun"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s not installed", program)
		}
	}
	if os.Geteuid() != 0 {
		return errors.New("a private Slurm needs root")
	}
	return nil
}

// New starts a cluster and returns when its nodes are idle. Close has to follow.
func New(options Options) (_ *Cluster, err error) {
	if err := options.missing(); err != nil {
		return nil, err
	}
	c := &Cluster{options: options.withDefaults()}
	if err := c.chooseDir(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, c.Logs())
			c.Close()
		}
	}()
	if err := c.configure(); err != nil {
		return nil, err
	}
	if err := c.startDaemons(); err != nil {
		return nil, err
	}
	if err := c.waitReady(); err != nil {
		return nil, err
	}
	return c, nil
}

// waitReady waits for idle nodes, but no longer once a daemon has ended.
func (c *Cluster) waitReady() error {
	err := wait.Until(startTime, func() error {
		if err := c.nodesIdle(); c.dead() == nil {
			return err
		}
		return nil
	})
	return errors.Join(err, c.dead())
}

func (c *Cluster) chooseDir() (err error) {
	dir := c.options.Dir
	if c.temporary = dir == ""; c.temporary {
		if dir, err = os.MkdirTemp("", "slurm"); err != nil {
			return err
		}
	}
	c.files = layout{dir}
	return os.MkdirAll(dir, 0o755)
}

func (c *Cluster) configure() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	ports, err := proc.FreePorts(3 + c.options.Nodes)
	if err != nil {
		return err
	}
	if c.options.Accounting {
		c.accounting = accounting{ports[0], ports[1]}
	}
	return c.files.write(c.options, c.accounting, host, ports[2:])
}

func (c *Cluster) startDaemons() error {
	munged := exec.Command("munged", "--foreground",
		"--socket="+c.files.socket(), "--key-file="+c.files.key(),
		"--pid-file="+c.files.munge()+"/pid", "--seed-file="+c.files.munge()+"/seed",
		"--log-file="+c.files.log("munged"))
	if err := c.start("munged", munged); err != nil {
		return err
	}
	err := wait.Until(startTime, func() error {
		_, err := os.Stat(c.files.socket())
		return err
	})
	if err != nil {
		return err
	}
	if err := c.startAccounting(); err != nil {
		return err
	}
	if err := c.start(controller, c.Command(controller, "-D")); err != nil {
		return err
	}
	for i := range c.options.Nodes {
		name := nodeName(i)
		if err := c.start("slurmd-"+name, c.Command("slurmd", "-D", "-N", name)); err != nil {
			return err
		}
	}
	c.complete = true
	return nil
}

// Dir is where slurm.conf and the logs are.
func (c *Cluster) Dir() string { return c.files.dir }

// Env is what a program needs in its environment to use this cluster.
func (c *Cluster) Env() []string { return []string{"SLURM_CONF=" + c.files.conf()} }

// Command prepares a program that uses this cluster. Variables of a Slurm job that this
// process may itself run in are left out.
func (c *Cluster) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SLURM_") && !strings.HasPrefix(variable, "SBATCH_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, c.Env()...)
	return cmd
}

// output runs a client command of Slurm.
func (c *Cluster) output(name string, args ...string) (string, error) {
	out, err := c.Command(name, args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// nodesIdle is nil when every node is up and has nothing to do.
func (c *Cluster) nodesIdle() error {
	// One partition, since a node is listed once for each that it is in.
	states, err := c.output("sinfo", "--noheader", "--Node", "--partition=batch", "--format=%T")
	if err != nil {
		return err
	}
	fields := strings.Fields(states)
	for _, state := range fields {
		if state != "idle" {
			return fmt.Errorf("nodes are %v", fields)
		}
	}
	if len(fields) != c.options.Nodes {
		return fmt.Errorf("%d nodes, not %d", len(fields), c.options.Nodes)
	}
	return nil
}

// NodeIdle reports whether every node is up and has nothing to do.
func (c *Cluster) NodeIdle() bool { return c.nodesIdle() == nil }

// Squeue is the queue as squeue prints it, without its header.
func (c *Cluster) Squeue() (string, error) { return c.output("squeue", "--noheader") }

// Steps are the ids of all running steps, such as `4.0` or `4.batch`.
func (c *Cluster) Steps() ([]string, error) {
	out, err := c.output("squeue", "--noheader", "--steps", "--format=%i")
	return strings.Fields(out), err
}
