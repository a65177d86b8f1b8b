// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// cancelTime is how long jobs may take to go when the cluster closes.
const cancelTime = 10 * time.Second

// Close cancels all jobs, stops the daemons in the opposite order of their start, kills
// whatever a job left behind, and removes the directory if New made it.
func (c *Cluster) Close() error {
	var problems []error
	if c.complete {
		problems = append(problems, c.cancelAll())
	}
	for _, d := range slices.Backward(c.daemons) {
		problems = append(problems, d.stop())
	}
	c.daemons = nil
	problems = append(problems, c.killLeftovers())
	if c.temporary {
		problems = append(problems, os.RemoveAll(c.files.dir))
	}
	return errors.Join(problems...)
}

// cancelAll kills every job, batch script and steps alike.
func (c *Cluster) cancelAll() error {
	queue, err := c.output("squeue", "--noheader", "--format=%i")
	if err != nil || queue == "" {
		return err
	}
	ids := strings.Fields(queue)
	_, errKill := c.output("scancel", append([]string{"--full", "--signal=KILL"}, ids...)...)
	// A pending job has nothing to signal and is cancelled by its id alone.
	_, errCancel := c.output("scancel", ids...)
	return wait.Until(cancelTime, func() error {
		if queue, err := c.Squeue(); err != nil || queue != "" {
			// A job that ended by itself meanwhile makes scancel fail, which is no trouble.
			return errors.Join(err, errKill, errCancel, fmt.Errorf("still in the queue: %s", queue))
		}
		return nil
	})
}

// killLeftovers ends processes that still belong to this cluster: what a step left
// running, and the step daemons. They are known by the variable that leads to this
// cluster's own configuration.
func (c *Cluster) killLeftovers() error {
	return wait.Until(cancelTime, func() error {
		pids := c.leftovers()
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone meanwhile is fine
		}
		if len(pids) > 0 {
			return fmt.Errorf("processes left: %v", pids)
		}
		return nil
	})
}

func (c *Cluster) leftovers() (pids []int) {
	variable := []byte(c.Env()[0] + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		environment, err := os.ReadFile(file)
		if err == nil && bytes.Contains(environment, variable) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Logs are the ends of the daemons' logs. What they wrote to standard error is mostly the
// same once more, but for the words of one that did not even find its log.
func (c *Cluster) Logs() string {
	var all strings.Builder
	files, _ := filepath.Glob(filepath.Join(c.files.logs(), "*"))
	for _, file := range files {
		lines := 40
		if strings.HasSuffix(file, standardError) {
			lines = 3
		}
		fmt.Fprintf(&all, "== %s\n%s", filepath.Base(file), tail(file, lines))
	}
	return all.String()
}

func tail(file string, n int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error() + "\n"
	}
	lines := slices.Collect(strings.Lines(string(text)))
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
