// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

// directives are the #SBATCH lines of a job.
func directives(cfg *config.Config, lead time.Duration, job Job) ([]string, error) {
	cluster := cfg.Compute[0].Value
	options := config.Map[string]{
		{Name: "job-name", Value: "gym-" + job.Benchmark},
		{Name: "account", Value: cluster.Account},
	}
	if cluster.Walltime != "" {
		options = append(options, config.Entry[string]{Name: "time", Value: cluster.Walltime})
	}
	options = append(options,
		config.Entry[string]{Name: "chdir", Value: job.Dir},
		config.Entry[string]{Name: "output", Value: "logs/job-%j.log"},
		// A requeued job goes on in the same file.
		config.Entry[string]{Name: "open-mode", Value: "append"},
		// Only this shell gets it, early enough to stop everything in order.
		config.Entry[string]{Name: "signal", Value: fmt.Sprintf("B:USR1@%d", int(lead.Seconds()))})
	options = append(options, cluster.ExtraArgs...)
	options = append(options, poolOptions(cluster.NodePools)...)
	var lines []string
	for _, o := range options {
		if o.Name == "export" {
			o.Value = cfg.Export(o.Value)
		}
		line, err := slurm.Directive(o.Name, o.Value)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// poolOptions describe the one allocation that all pools make up together; validation has
// seen that they agree.
func poolOptions(pools config.Map[config.NodePool]) config.Map[string] {
	if len(pools) == 0 {
		return nil
	}
	nodes := 0
	for _, p := range pools {
		nodes += p.Value.Nodes
	}
	first := pools[0].Value
	options := config.Map[string]{
		{Name: "partition", Value: first.Partition},
		{Name: "nodes", Value: strconv.Itoa(nodes)},
		{Name: "ntasks-per-node", Value: strconv.Itoa(first.NtasksPerNode)},
	}
	if first.GPUsPerNode != nil {
		options = append(options, config.Entry[string]{Name: "gpus-per-node", Value: strconv.Itoa(*first.GPUsPerNode)})
	}
	written := map[string]bool{}
	for _, p := range pools {
		for _, arg := range p.Value.ExtraArgs {
			if !written[arg.Name] {
				options = append(options, arg)
				written[arg.Name] = true
			}
		}
	}
	return options
}

// fullLead is the time that an orderly end may take: 10 s for the driver, 30 s for the
// collector, and what is left for the services and Slurm's own clock, which may signal up to
// 60 s early but never late.
const fullLead = 60 * time.Second

// timeLimit returns the walltime, 0 when there is none, and how long before its end the
// script is told to stop: a minute, but never more than half of a short job.
// Hooks come on top of that.
func timeLimit(walltime string, hooks time.Duration) (limit, lead time.Duration, err error) {
	full := fullLead + hooks
	if walltime == "" {
		return 0, full, nil
	}
	if limit, err = config.ParseWalltime(walltime); err != nil {
		return 0, 0, fmt.Errorf("walltime: %w", err)
	}
	if limit == 0 { // no limit
		return 0, full, nil
	}
	return limit, min(full, limit/2), nil
}
