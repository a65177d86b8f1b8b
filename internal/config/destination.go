// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "strings"

// CheckDestination tells what keeps an active collector from sending: the parts of the
// configuration that a submit needs and a mere look at it does not. Nothing of the token
// is ever shown. The error is of type Problems.
func (c *Config) CheckDestination(opt Options) error {
	if !c.CollectorActive() {
		return nil
	}
	r := &report{}
	c.checkDestinationKeys(r)
	if complaint := c.TokenComplaint(opt); !c.Otel.UsesFile() && complaint != "" {
		c.addf(r, path("otel", "token_env"), "%s", complaint).
			hintf("export %s, name another variable in otel.token_env, %s", c.Otel.TokenEnv, withoutCollector)
	}
	return r.err()
}

// CheckDestinationKeys is CheckDestination without the token, for those who only look.
func (c *Config) CheckDestinationKeys() error {
	r := &report{}
	if c.CollectorActive() {
		c.checkDestinationKeys(r)
	}
	return r.err()
}

// CheckKeys tells which keys a submission of this file lacks, before anything is asked. The error is of type Problems.
func (c *Config) CheckKeys(isHere func(hostname string) bool) error {
	r := &report{}
	if c.CollectorActive() {
		c.checkDestinationKeys(r)
		c.checkBinary(r, isHere)
	}
	return r.err()
}

// CheckBinary tells what the file alone leaves open for another machine: the gym-otelcol beside this program is not
// there. The error is of type Problems.
func (c *Config) CheckBinary(isHere func(hostname string) bool) error {
	r := &report{}
	if c.CollectorActive() {
		c.checkBinary(r, isHere)
	}
	return r.err()
}

func (c *Config) checkBinary(r *report, isHere func(hostname string) bool) {
	name, cluster := c.Cluster()
	if isHere(cluster.Hostname) || c.Otel.Binary != "" || c.Otel.Container != nil {
		return
	}
	c.addf(r, path("otel", "binary"), "is required with compute.%s.hostname", name).
		hintf("write the absolute path of a gym-otelcol on the compute nodes of %s, or set otel.enabled: false", cluster.Hostname)
}

const withoutCollector = "or set otel.enabled: false to run without a collector"

func (c *Config) checkDestinationKeys(r *report) {
	for _, want := range []struct{ key, value string }{
		{"endpoint", c.Otel.Endpoint},
		{"service_name", c.Otel.ServiceName},
	} {
		if strings.TrimSpace(want.value) == "" {
			c.addf(r, path("otel", want.key), "is required for a job with a collector").
				hintf("set otel.%s, %s", want.key, withoutCollector)
		}
	}
}

// CheckEnv tells which variables of the submitting shell the job needs and does not find.
// The error is of type Problems.
func (c *Config) CheckEnv(opt Options) error {
	r := &report{}
	check := func(env Map[EnvVar], at keyPath) {
		for _, e := range env {
			if e.Value.Source != EnvHost {
				continue
			}
			if _, set := opt.lookupEnv(e.Value.Value); !set {
				c.addf(r, at.key(e.Name), "the environment variable %s is not set", e.Value.Value).
					hintf("export it, or write lit: for a value and runtime: for a variable of the job")
			}
		}
	}
	for _, s := range c.Services {
		check(s.Value.Env, path("services", s.Name, "env"))
	}
	check(c.Driver.Env, path("driver", "env"))
	return r.err()
}

// ShellVariables names the variables of the submitting shell that the jobs need: the token's
// and those that host: refers to.
func (c *Config) ShellVariables() []string {
	names := c.hostEnv()
	if c.CollectorActive() && c.Otel.TokenEnv != "" {
		names = append([]string{c.Otel.TokenEnv}, names...)
	}
	return names
}

// addf reports a finding about a Config after Load.
func (c *Config) addf(r *report, p keyPath, format string, args ...any) *finding {
	if c.origin == nil {
		return r.addf(position{}, p, format, args...)
	}
	r.names = c.origin.names
	return r.addf(c.origin.place(p), p, format, args...)
}
