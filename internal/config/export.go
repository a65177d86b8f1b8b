// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
)

// export checks sbatch's --export: the token travels in sbatch's environment, and so do the
// host: variables.
func (v *validator) export(value string, p keyPath) {
	names := exportedNames(value)
	if !v.cfg.Otel.UsesFile() && sets(value, v.cfg.Otel.TokenEnv) {
		v.addf(p, "sets the variable of the token, which must not get into a file")
		return
	}
	switch first := strings.ToUpper(names[0]); first {
	case "ALL":
	case "NONE", "NIL":
		if v.cfg.CollectorActive() && !v.cfg.Otel.UsesFile() {
			v.addf(p, "%s keeps the token from the collector", first).hintf("remove it, or write ALL")
		} else if v.cfg.usesHostEnv() {
			v.addf(p, "%s keeps the host: variables from the job", first).hintf("remove it, or write ALL")
		}
	default:
		if !slices.Contains(names, "PATH") {
			v.warnf(p, "a list without PATH leaves the job the PATH of the nodes' bash").hintf("begin it with ALL, or PATH,")
		}
	}
}

// exportedNames are the variables that --export speaks of.
func exportedNames(value string) []string {
	names := strings.Split(value, ",")
	for i, name := range names {
		name, _, _ = strings.Cut(name, "=")
		names[i] = strings.TrimSpace(name)
	}
	return names
}

// sets tells whether --export gives a variable a value.
func sets(value, variable string) bool {
	return slices.ContainsFunc(strings.Split(value, ","), func(part string) bool {
		name, _, isSet := strings.Cut(part, "=")
		return isSet && strings.TrimSpace(name) == variable
	})
}

// Export is --export as the job needs it. To a list of variables it adds the names, and never
// a value, of those that have to travel with the job: the token's and the host: ones.
func (c *Config) Export(value string) string {
	names := exportedNames(value)
	switch strings.ToUpper(names[0]) {
	case "ALL", "NONE", "NIL":
		return value
	}
	add := c.hostEnv()
	if c.CollectorActive() && !c.Otel.UsesFile() {
		add = append([]string{c.Otel.TokenEnv}, add...)
	}
	list := []string{value}
	for _, name := range add {
		if !slices.Contains(names, name) {
			list, names = append(list, name), append(names, name)
		}
	}
	return strings.Join(list, ",")
}

// hostEnv names the variables of the submitting shell that the steps get.
func (c *Config) hostEnv() []string {
	var names []string
	add := func(env Map[EnvVar]) {
		for _, e := range env {
			if e.Value.Source == EnvHost {
				names = append(names, e.Value.Value)
			}
		}
	}
	for _, s := range c.Services {
		add(s.Value.Env)
	}
	add(c.Driver.Env)
	return names
}

func (c *Config) usesHostEnv() bool { return len(c.hostEnv()) > 0 }
