// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
)

func (v *validator) compute() {
	switch n := len(v.cfg.Compute); {
	case n == 0:
		v.addf(path("compute"), "needs an entry: the name of the cluster")
	case n > 1:
		second := v.cfg.Compute[1].Name
		v.keyf(path("compute", second), "Multiple compute resources are not supported yet").
			hintf("keep one of them")
	}
	for _, e := range v.cfg.Compute {
		p := path("compute", e.Name)
		if complaint := noControl(e.Name); complaint != "" {
			v.keyf(p, "the name %s", complaint)
		}
		if v.ok(p) {
			v.resource(e.Value, p)
		}
	}
}

func (v *validator) resource(c Compute, p keyPath) {
	switch c.Type {
	case ComputeSlurm:
		if c.Account == "" {
			v.addf(p.key("account"), "is required")
		}
		v.text(p.key("hostname"), c.Hostname, noControl, noBlanks, noDash)
	case ComputeLocal:
		if c.Hostname != "" {
			v.addf(p.key("hostname"), "local runs on this machine").hintf("remove it, or write type: slurm")
		}
	}
	v.text(p.key("account"), c.Account, noControl, noBlanks, noQuoting)
	if c.Walltime != "" {
		if _, err := ParseWalltime(c.Walltime); err != nil {
			f := v.addf(p.key("walltime"), "%s", err)
			if errors.Is(err, errWalltimeZero) {
				f.hintf("remove it for the limit of the partition")
			}
		}
	}
	v.slurmOptions(c.ExtraArgs, p.key("extra_args"))
	v.pools(c.NodePools, p.key("node_pools"))
}

// pools checks the parts of an allocation. Slurm gets one set of options for all of them.
func (v *validator) pools(pools Map[NodePool], p keyPath) {
	total := 0
	for i, e := range pools {
		at := p.key(e.Name)
		if complaint := noControl(e.Name); complaint != "" {
			v.keyf(at, "the name %s", complaint)
		}
		v.text(at.key("partition"), e.Value.Partition, notBlank, noControl, noBlanks, noQuoting)
		v.atLeastOne(at.key("nodes"), e.Value.Nodes)
		v.atLeastOne(at.key("ntasks_per_node"), e.Value.NtasksPerNode)
		if e.Value.GPUsPerNode != nil {
			v.atLeastOne(at.key("gpus_per_node"), *e.Value.GPUsPerNode)
		}
		if e.Value.Nodes > 1 {
			v.addf(at.key("nodes"), "more than one node is not supported yet")
		}
		total += min(e.Value.Nodes, 1)
		v.slurmOptions(e.Value.ExtraArgs, at.key("extra_args"))
		if i > 0 {
			v.agree(pools[0], e, at)
		}
	}
	if total > 1 {
		v.addf(p, "the pools have %d nodes together, but more than one node is not supported yet", total)
	}
}

// agree reports where a pool differs from the first one.
func (v *validator) agree(first, e Entry[NodePool], p keyPath) {
	gpus := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	a, b := first.Value, e.Value
	const message = "node pools disagree: %s and %s differ in %s"
	compare := func(key string, same bool) {
		if !same {
			v.addf(p.key(key), message, first.Name, e.Name, key)
		}
	}
	compare("partition", a.Partition == b.Partition)
	compare("ntasks_per_node", a.NtasksPerNode == b.NtasksPerNode)
	compare("gpus_per_node", gpus(a.GPUsPerNode) == gpus(b.GPUsPerNode))
	for _, option := range b.ExtraArgs {
		if value, ok := a.ExtraArgs.Get(option.Name); ok && value != option.Value {
			v.addf(p.key("extra_args").key(option.Name), message, first.Name, e.Name, option.Name)
		}
	}
}

// gpus compares what each service needs with what a node has.
func (v *validator) gpus() {
	_, compute := v.cfg.Cluster()
	has := 0
	for _, pool := range compute.NodePools {
		if pool.Value.GPUsPerNode != nil {
			has = max(has, *pool.Value.GPUsPerNode)
		}
	}
	if has < 1 {
		return
	}
	var total float64 // as a float it cannot overflow
	for _, e := range v.cfg.ModelServices() {
		s := e.Value
		needs := float64(s.TensorParallelSize) * float64(s.PipelineParallelSize) * float64(s.NumberOfInstances)
		total += needs
		if needs > float64(has) {
			v.addf(path("services", e.Name), "needs %.0f GPUs, but gpus_per_node is %d", needs, has).
				hintf("tensor_parallel_size %d times pipeline_parallel_size %d times number_of_instances %d",
					s.TensorParallelSize, s.PipelineParallelSize, s.NumberOfInstances)
		}
	}
	if total > 0 && total < float64(has) && !v.cfg.rayUsesGPUs() {
		v.warnf(path("services"), "the services use %.0f of %d GPUs, leaving %d idle", total, has, has-int(total))
	}
}

// rayUsesGPUs tells whether a Ray head takes the GPUs that the services leave.
func (c *Config) rayUsesGPUs() bool {
	for _, s := range c.Services {
		if s.Value.Type == ServiceRay && (s.Value.NumGPUs == nil || *s.Value.NumGPUs > 0) {
			return true
		}
	}
	return false
}

// slurmOptions checks further options of sbatch.
func (v *validator) slurmOptions(options Map[string], p keyPath) {
	for _, o := range options {
		at := p.key(o.Name)
		switch kind, complaint := slurmOption(o.Name); {
		case complaint != "":
			v.keyf(at, "%s", complaint).hintf("%s", kind)
		case noControl(o.Value) != "":
			v.addf(at, "%s", noControl(o.Value))
		case o.Name == "export":
			v.export(o.Value, at)
		case v.isBool(at):
			v.addf(at, "%s takes no true or false", o.Name).
				hintf(`an option without a value is written %s: "", one that is not wanted is left out`, o.Name)
		}
	}
}

// isBool tells a value that the file writes as true or false without quotes.
func (v *validator) isBool(p keyPath) bool {
	n := v.origin.find(p)
	return n != nil && n.plain && (n.text == "true" || n.text == "false")
}
