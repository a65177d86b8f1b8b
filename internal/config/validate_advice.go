// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "time"

// shortWalltime is less than what an orderly end may need together with Slurm's own clock:
// the script is told to stop a minute before the end, and Slurm may say so a minute early.
const shortWalltime = 5 * time.Minute

// advice warns of what is right by the rules and seldom meant.
func (v *validator) advice() {
	name, compute := v.cfg.Cluster()
	if v.cfg.Otel.Enabled && v.cfg.Otel.Endpoint != "" && len(v.cfg.ModelServices()) == 0 {
		v.warnf(path("otel"), "no service serves a model, so the jobs get no collector and export nothing")
	}
	if compute.Type != ComputeSlurm {
		return
	}
	if v.cfg.CollectorActive() && len(v.cfg.Driver.Benchmarks) > 1 && !wholeNodes(compute) {
		v.warnf(path("driver", "benchmarks"), "each benchmark is a job of its own, and a node holds one job with a collector at a time").
			hintf("ask for whole nodes: compute.%s.extra_args: {exclusive: ''}", name)
	}
	if limit, err := ParseWalltime(compute.Walltime); err == nil && limit > 0 && limit < shortWalltime {
		v.warnf(path("compute", name, "walltime"), "up to two minutes of it are kept for the orderly end of the job")
	}
}

// wholeNodes tells whether no other job can share the nodes.
func wholeNodes(c Compute) bool {
	if _, ok := c.ExtraArgs.Get("exclusive"); ok {
		return true
	}
	for _, pool := range c.NodePools {
		if _, ok := pool.Value.ExtraArgs.Get("exclusive"); ok {
			return true
		}
	}
	return false
}
