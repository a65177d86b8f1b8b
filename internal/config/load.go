// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"reflect"
	"strings"
)

// Options are what Load needs to know of the world.
type Options struct {
	LookupEnv func(string) (string, bool) // os.LookupEnv when nil

	// Where the files of config groups are; the functions of os when nil.
	ReadFile func(name string) ([]byte, error)
	ReadDir  func(name string) ([]os.DirEntry, error)
}

func (o Options) lookupEnv(name string) (string, bool) {
	if o.LookupEnv == nil {
		return os.LookupEnv(name)
	}
	return o.LookupEnv(name)
}

// origin remembers where the values of a Config were written.
type origin struct {
	names []string
	root  *node
}

// place is where the value at p stands. For one that is not there it is the place of the
// nearest mapping around it.
func (o *origin) place(p keyPath) position {
	for n := len(p); ; n-- {
		if found := o.find(p[:n]); found != nil {
			return found.at
		}
	}
}

func (o *origin) find(p keyPath) *node { return find(o.root, p) }

// find returns the value at p, or nil.
func find(n *node, p keyPath) *node {
	for _, s := range p {
		switch {
		case n == nil:
			return nil
		case s.list && n.kind == list && s.index < len(n.items):
			n = n.items[s.index]
		case !s.list && n.kind == mapping:
			n = n.get(s.name)
		default:
			return nil
		}
	}
	return n
}

// fromEnv tells whether a variable of the environment went into the text at p.
func (o *origin) fromEnv(p keyPath) bool {
	n := o.find(p)
	return n != nil && n.source != ""
}

// Load composes a submit configuration: the site's file, then the other sources in order,
// later ones over earlier ones, then the overrides, then interpolation; decodes it, fills in defaults and validates. Any
// error is of type Problems and holds all that is wrong, in the order of the sources.
func Load(sources []Source, overrides []string, opt Options) (*Config, error) {
	r := &report{}
	root, c := compose(sources, overrides, opt, r)
	if root == nil || len(r.found) > 0 {
		// What the files say is not known, so no more can be said about it.
		return nil, r.err()
	}
	interpolate(root, opt.lookupEnv, r)
	dropScratch(root)

	cfg, d := decode(root, r)
	validate(cfg, d)
	c.checkLocks(root, cfg)
	if r.err() == nil {
		cfg.checkToken(opt, r)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// decode fills in what the tree says, and defaults.
func decode(root *node, r *report) (*Config, *decoder) {
	cfg := &Config{origin: &origin{names: r.names, root: root}}
	d := &decoder{report: r, bad: map[string]bool{}}
	d.value(root, nil, reflect.ValueOf(cfg).Elem())
	cfg.complete()
	return cfg, d
}

// dropScratch removes the root keys that exist for interpolation only.
func dropScratch(root *node) {
	kept := root.fields[:0:0]
	for _, f := range root.fields {
		if !strings.HasPrefix(f.key, "_") {
			kept = append(kept, f)
		}
	}
	root.fields = kept
}

// complete fills in the defaults that depend on other values.
func (c *Config) complete() {
	if c.Otel.UsesFile() && !c.origin.find(path("otel", "token_env")).says() {
		c.Otel.TokenEnv = ""
	}
	cluster, compute := c.Cluster()
	for i := range c.Services {
		s := &c.Services[i].Value
		if s.Placement == "" {
			s.Placement = cluster
		}
		if s.HealthCheck == nil && s.Type != ServiceRay {
			s.HealthCheck = newHealthCheck() // null asks for the default
		}
		if s.HealthCheck == nil {
			continue
		}
		port := c.origin.find(path("services", c.Services[i].Name, "health_check", "port"))
		if (port == nil || port.isNull()) && s.Type != ServiceRay {
			s.HealthCheck.Port = s.Port
		}
	}
	if c.origin.root.get("driver").find("container") == nil && compute.Type == ComputeSlurm {
		image := defaultDriverImage
		c.Driver.Container = &image
	}
	// Without a Gym that gym-submit installs nobody knows whether it can export.
	if telemetry := c.origin.find(path("otel", "gym_telemetry")); telemetry == nil || telemetry.isNull() {
		c.Otel.GymTelemetry = c.Driver.GymInstall != nil
	}
}

// says tells whether there is a value, and not only a way to write that there is none.
func (n *node) says() bool { return n != nil && !n.isNull() && (n.kind != scalar || n.text != "") }

const defaultDriverImage = "python:3.12"
