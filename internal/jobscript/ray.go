// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// rayCommand is the words of the head's `ray start`. --block keeps the step alive: without
// it ray puts itself into the background, and Slurm would end it with its step.
func rayCommand(name string, cfg config.Service, cluster config.Compute) ([]string, error) {
	flags := [][]string{
		{"ray", "start", "--block", "--head"},
		{"--port", strconv.Itoa(cfg.Port)},
	}
	if cfg.NumCPUs != nil {
		flags = append(flags, []string{"--num-cpus", strconv.Itoa(*cfg.NumCPUs)})
	}
	if cfg.NumGPUs != nil {
		flags = append(flags, []string{"--num-gpus", strconv.Itoa(*cfg.NumGPUs)})
	}
	resources, err := headResources(cfg, cluster)
	if err != nil {
		return nil, err
	}
	if resources != "" {
		flags = append(flags, []string{"--resources=" + resources})
	}
	lines, err := quoteLines(flags)
	if err != nil {
		return nil, err
	}
	// The address that everybody else is told.
	address := fmt.Sprintf(`--node-ip-address "${%s%%:*}"`, rayAddress(name))
	return append(lines[:2:2], append([]string{address}, lines[2:]...)...), nil
}

// headResources are the custom resources of the pool that the head is in, as JSON.
func headResources(cfg config.Service, cluster config.Compute) (string, error) {
	if len(cluster.NodePools) == 0 {
		return "", nil
	}
	resources, _ := cfg.Resources.Get(cluster.NodePools[0].Name)
	if len(resources) == 0 {
		return "", nil
	}
	amounts := map[string]json.Number{}
	for _, r := range resources {
		amounts[r.Name] = json.Number(r.Value.String())
	}
	text, err := json.Marshal(amounts)
	return string(text), err
}

// rayAddress is the variable that tells where a Ray service's head is.
func rayAddress(service string) string { return "GYM_RAY_ADDRESS_" + config.ShellSuffix(service) }

// placement is what the job tells its steps about where things are.
type placement struct {
	Pools []string // variables that hold the hosts of a node pool
	Rays  []ray
	Head  bool // HEAD_NODE_IP is asked for
}

// Any tells whether there is anything to say.
func (p placement) Any() bool { return p.Head || len(p.Pools)+len(p.Rays) > 0 }

// Address tells whether the node's address is needed for it.
func (p placement) Address() bool { return p.Head || len(p.Rays) > 0 }

// ray is one Ray service.
type ray struct {
	Variable string
	Port     int
}

func newPlacement(cfg *config.Config) placement {
	p := placement{Head: cfg.TellsHeadNode()}
	pinned := false
	for _, s := range cfg.Services {
		pinned = pinned || s.Value.NodePool != ""
		if s.Value.Type == config.ServiceRay {
			p.Rays = append(p.Rays, ray{rayAddress(s.Name), s.Value.Port})
		}
	}
	if pinned {
		for _, pool := range cfg.Compute[0].Value.NodePools {
			p.Pools = append(p.Pools, "GYM_POOL_"+config.ShellSuffix(pool.Name)+"_NODES")
		}
	}
	return p
}
