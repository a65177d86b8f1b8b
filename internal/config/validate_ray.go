// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
)

// ray checks the head of a Ray cluster.
func (v *validator) ray(s *Service, p keyPath) {
	pools := p.key("node_pools")
	for i, name := range s.NodePools {
		if slices.Contains(s.NodePools[:i], name) {
			v.addf(pools.item(i), "the pool stands twice in the list").hintf("remove one of the two")
			continue
		}
		v.pool(name, pools.item(i))
	}
	for _, e := range s.Resources {
		at := p.key("resources").key(e.Name)
		if !slices.Contains(s.NodePools, e.Name) {
			v.keyf(at, "is none of the service's node_pools").hintf("resources are custom resources of the nodes of a pool")
		}
		for _, resource := range e.Value {
			v.rayResource(resource.Name, at.key(resource.Name))
		}
	}
	v.notNegative(p.key("num_cpus"), s.NumCPUs)
	v.notNegative(p.key("num_gpus"), s.NumGPUs)
	if words, _ := splitWords(s.ExtraArgs); slices.ContainsFunc(words, isRayPort) {
		v.addf(p.key("extra_args"), "holds --port, by which the job would not find the head").
			hintf("set port of the service")
	}
}

// rayResource checks the name of a custom resource.
func (v *validator) rayResource(name string, p keyPath) {
	switch {
	case noControl(name) != "":
		v.keyf(p, "the name %s", noControl(name))
	case slices.Contains([]string{"CPU", "GPU", "memory", "object_store_memory"}, name):
		v.keyf(p, "is no custom resource to Ray").hintf("set num_cpus or num_gpus, or give extra_args the option")
	}
}

func isRayPort(word string) bool { return word == "--port" || strings.HasPrefix(word, "--port=") }

// notNegative checks a count that may be zero.
func (v *validator) notNegative(p keyPath, n *int) {
	if n != nil && *n < 0 {
		v.addf(p, "has to be 0 or more, found %s", v.quote(p))
	}
}
