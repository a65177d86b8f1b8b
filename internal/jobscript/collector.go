// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/collector"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/installation"
)

// collectorStep is the collector's step.
type collectorStep struct {
	Binary               string
	PerArch              bool   // Binary holds {arch}
	TokenEnv             string // empty: the collector reads a file
	CAFile               string
	HealthPort           int
	HealthIdentity       string // in double quotes of the shell
	HealthTimeoutSeconds int
	StopTimeoutSeconds   int
	MemoryLimit          string // GOMEMLIMIT
	EnginePorts          string // ports of the engines, blank between them
	InImage              bool
	StepOptions          []string
	SharedNodeAdvice     string // inside double quotes
}

// memoryLimit makes Go's collector work harder before the process grows. The queue in front
// of the backend may hold 64 MiB; a scrape of a large engine needs some more.
const memoryLimit = "400MiB"

func newCollectorStep(cfg *config.Config, job Job, local bool) (*collectorStep, error) {
	c := &collectorStep{
		Binary:               job.CollectorBinary,
		PerArch:              strings.Contains(job.CollectorBinary, installation.Arch),
		TokenEnv:             cfg.Otel.TokenEnv,
		HealthPort:           collector.HealthPort,
		HealthIdentity:       collector.HealthIdentity(job.RunID, job.Benchmark, "$SLURM_JOB_ID"),
		HealthTimeoutSeconds: cfg.Otel.HealthCheckTimeoutSeconds,
		StopTimeoutSeconds:   collectorStopTimeout,
		MemoryLimit:          memoryLimit,
	}
	if cfg.Otel.CAFile != nil {
		c.CAFile = *cfg.Otel.CAFile
	}
	var ports []string
	for _, s := range cfg.ModelServices() {
		ports = append(ports, strconv.Itoa(s.Value.Port))
	}
	c.EnginePorts = strings.Join(ports, " ")
	if local {
		c.SharedNodeAdvice = "wait for the other one to end, or set otel.enabled: false for this run"
		return c, nil
	}
	c.SharedNodeAdvice = fmt.Sprintf("ask for whole nodes (compute.%s.extra_args: {exclusive: ''}), or set otel.enabled: false for this run",
		cfg.Compute[0].Name)
	// Little of the node, and none of its GPUs.
	c.StepOptions = []string{"--gres=none", "--cpus-per-task=1"}
	if cfg.Otel.Container != nil {
		options, err := containerOptions(*cfg.Otel.Container, collectorMounts(cfg.Otel, job.Dir), job.Dir)
		if err != nil {
			return nil, err
		}
		c.InImage, c.StepOptions = true, append(c.StepOptions, options...)
	}
	return c, nil
}

// collectorMounts are the directories that the collector sees in its image. Of the token and the authority it is the
// directory and not the file: a file that is replaced would stay the old one inside.
func collectorMounts(otel config.Otel, jobDir string) []string {
	mounts := []string{jobDir + ":" + jobDir}
	for _, file := range []*string{otel.TokenFile, otel.CAFile} {
		if file == nil {
			continue
		}
		dir := path.Dir(*file)
		if mount := dir + ":" + dir + ":ro"; !slices.Contains(mounts, mount) {
			mounts = append(mounts, mount)
		}
	}
	return mounts
}
