// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// standardError is how the files end that daemons write to before they open their log.
const standardError = ".err"

// daemon is one of Slurm's programs, run in the foreground as our child, so that it is
// ours to reap.
type daemon struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

func (c *Cluster) start(name string, cmd *exec.Cmd) error {
	out, err := os.OpenFile(filepath.Join(c.files.logs(), name+standardError), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Dir = c.files.dir
	// Should this process be killed, nothing may be left that holds ports.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("slurmcluster: %w", err)
	}
	d := &daemon{name: name, cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended stands in its log
		close(d.done)
	}()
	c.daemons = append(c.daemons, d)
	return nil
}

// dead says which daemon has ended, if one has.
func (c *Cluster) dead() error {
	for _, d := range c.daemons {
		select {
		case <-d.done:
			return fmt.Errorf("%s has ended", d.name)
		default:
		}
	}
	return nil
}

// stop ends a daemon, the hard way when it takes too long.
func (d *daemon) stop() error {
	err := d.cmd.Process.Signal(syscall.SIGTERM)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	select {
	case <-d.done:
		return nil
	case <-time.After(5 * time.Second):
	}
	_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL) // with its helpers
	<-d.done
	return fmt.Errorf("%s had to be killed", d.name)
}
