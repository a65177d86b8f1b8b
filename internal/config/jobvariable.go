// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "regexp"

// jobVariable are the variables that a job sets for its steps, as upstream's do. They tell where
// things are, which nobody knows when a run is submitted.
var jobVariable = regexp.MustCompile(`^(HEAD_NODE_IP|GYM_POOL_\w+_NODES|GYM_RAY_ADDRESS_\w+)$`)

func isJobVariable(name string) bool { return jobVariable.MatchString(name) }

// isForGym tells whether the value at p is read by Gym in the driver, which finds references to
// variables out itself.
func isForGym(p keyPath) bool {
	switch {
	case len(p) == 2:
		return p[0].name == "driver" && p[1].name == "policy_host"
	case len(p) > 4:
		return p[0].name == "driver" && p[1].name == "benchmarks" && (p[3].name == "run" || p[3].name == "prepare")
	}
	return false
}

// TellsHeadNode tells whether Gym is to find out the node's address.
func (c *Config) TellsHeadNode() bool {
	if headNode.MatchString(c.Driver.PolicyHost) {
		return true
	}
	for _, b := range c.Driver.Benchmarks {
		for _, overrides := range [][]Override{b.Value.Prepare, b.Value.Run} {
			for _, o := range overrides {
				if headNode.MatchString(o.Value) {
					return true
				}
			}
		}
	}
	return false
}

var headNode = regexp.MustCompile(`\$\{oc\.env:HEAD_NODE_IP\b`)
