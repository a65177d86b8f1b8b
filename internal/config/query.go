// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strings"
)

// Cluster returns the sole compute resource. Its name is the cluster's.
func (c *Config) Cluster() (string, Compute) {
	if len(c.Compute) == 0 {
		return "", Compute{}
	}
	return c.Compute[0].Name, c.Compute[0].Value
}

// ModelServices returns the services that serve a model, in the order of the file.
func (c *Config) ModelServices() Map[Service] {
	var out Map[Service]
	for _, s := range c.Services {
		if s.Value.ServesModel() {
			out = append(out, s)
		}
	}
	return out
}

// ServesModel tells whether clients can ask the service for a model.
func (s Service) ServesModel() bool { return s.Type == ServiceVLLM }

// Policy returns the service under test; ok is false when the driver names none that serves
// a model.
func (c *Config) Policy() (s Service, ok bool) {
	s, ok = c.Services.Get(c.Driver.PolicyModel)
	return s, ok && s.ServesModel()
}

// GymTelemetryActive tells whether Gym in the driver exports through the job's collector.
func (c *Config) GymTelemetryActive() bool { return c.CollectorActive() && c.Otel.GymTelemetry }

// CollectorActive tells whether the job gets a collector: a job without a model service
// has nothing to scrape and gets none.
func (c *Config) CollectorActive() bool {
	return c.Otel.Enabled && len(c.ModelServices()) > 0
}

// KeepBenchmarks leaves the named benchmarks alone in the configuration, in the order of the
// file.
func (c *Config) KeepBenchmarks(names []string) error {
	var kept Map[Benchmark]
	var all []string
	for _, b := range c.Driver.Benchmarks {
		all = append(all, b.Name)
		if slices.Contains(names, b.Name) {
			kept = append(kept, b)
		}
	}
	for _, name := range names {
		if _, found := c.Driver.Benchmarks.Get(name); !found {
			return fmt.Errorf("there is no benchmark %q in driver.benchmarks, which has: %s", name, strings.Join(all, ", "))
		}
	}
	c.Driver.Benchmarks = kept
	return nil
}

// Warnings are what Load found odd but not wrong, each with its place.
func (c *Config) Warnings() []string { return c.warnings }

// ShellName is the name of a service as the beginning of a shell variable's name.
func ShellName(service string) string {
	name := ShellSuffix(service)
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// ShellSuffix is a name as a later part of a shell variable's name.
func ShellSuffix(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// ScrapeName is the name under which the metrics of a service are collected.
func (c *Config) ScrapeName(service string) string {
	if c.Otel.Component == "" {
		return service
	}
	return c.Otel.Component + "/" + service
}
