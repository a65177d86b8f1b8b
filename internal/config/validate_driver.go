// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"net/url"
	"slices"
	"strings"
)

func (v *validator) driver() {
	d, p := v.cfg.Driver, path("driver")
	v.container(d.Container, p.key("container"))
	if g := d.GymInstall; g != nil {
		at := p.key("gym_install")
		v.text(at.key("repo"), g.Repo, notBlank, noControl, noDash)
		if g.HasPassword() {
			v.warnf(at.key("repo"), "holds a password: it gets into the files of the run and into git's arguments, which everybody on the node can list").
				hintf("leave it out, and let git ask ssh or a credential helper")
		}
		v.text(at.key("ref"), g.Ref, notBlank, noControl, noBlanks, noDash)
	}
	v.policy(d.PolicyModel, p.key("policy_model"))
	v.text(p.key("policy_host"), d.PolicyHost, notBlank, noControl, noBlanks, hostOnly)
	v.text(p.key("policy_model_type"), d.PolicyModelType, noControl, noBlanks, noDash)
	v.env(d.Env, p.key("env"))
	v.mounts(d.Mounts, p.key("mounts"), d.Container != nil)

	if len(d.Benchmarks) == 0 {
		v.addf(p.key("benchmarks"), "needs at least one benchmark")
	}
	for _, e := range d.Benchmarks {
		at := p.key("benchmarks").key(e.Name)
		switch {
		case !isName(e.Name):
			v.keyf(at, "is no name for a benchmark").hintf(nameRule)
		case slices.Contains(runFiles, e.Name):
			v.keyf(at, "the name is taken by a file of the run").hintf("choose another name")
		}
		if v.ok(at) {
			v.benchmark(e.Value, at)
		}
	}
}

// HasPassword tells whether the address of the repository lets git in by itself.
func (g GymInstall) HasPassword() bool {
	u, err := url.Parse(g.Repo)
	return err == nil && u.User != nil && (u.Scheme == "https" || u.Scheme == "http")
}

// runFiles stand beside the directories of the benchmarks.
var runFiles = []string{"gym-job.json", "resolved-config.yaml"}

func (v *validator) policy(name string, p keyPath) {
	if name == "" {
		return
	}
	s, ok := v.cfg.Services.Get(name)
	switch {
	case !v.ok(path("services", name)):
	case !ok && v.ok(path("services")):
		v.known(p, "service", name, v.cfg.Services.names())
	case ok && !s.ServesModel():
		v.warnf(p, "a service of type %s serves no model, so the driver is told of none", s.Type)
	}
}

// hostOnly refuses more than the host part of an address.
func hostOnly(s string) string {
	if strings.ContainsAny(s, "/@") {
		return "has to be a host alone, without http:// and path"
	}
	return ""
}

// policyKeys are what the job itself tells Gym about the policy model.
var policyKeys = []string{"policy_base_url", "policy_model_name", "policy_api_key"}

func (v *validator) benchmark(b Benchmark, p keyPath) {
	if _, ok := v.cfg.Policy(); ok {
		for _, o := range b.Run {
			if slices.Contains(policyKeys, o.Key) {
				v.keyf(p.key("run").key(o.Key), "is set by driver.policy_model already").hintf("remove one of the two")
			}
		}
	}
	if b.Command == nil {
		return
	}
	at := p.key("command")
	if len(b.Run) > 0 {
		v.keyf(at, "replaces gym eval run, so that run means nothing beside it").hintf("remove one of the two")
	}
	if strings.Contains(v.cfg.Driver.PolicyHost, "${") {
		v.warnf(at, "finds driver.policy_host in its environment as it is written: gym eval run alone finds out what ${…} stands for")
	}
	if v.text(at, *b.Command, notBlank) {
		v.shell(at, *b.Command)
	}
}

func (v *validator) hooks() {
	p := path("hooks")
	for key, command := range map[string]string{"done": v.cfg.Hooks.Done, "failed": v.cfg.Hooks.Failed} {
		if at := p.key(key); v.origin.find(at) != nil && v.ok(at) && command != "" && v.text(at, command, notBlank) {
			v.shell(at, command)
		}
	}
}

func (v *validator) job() {
	dir, p := v.cfg.Job.OutputPath, path("job", "output_path")
	if !v.ok(p) {
		return
	}
	if !v.text(p, dir, notBlank) {
		return
	}
	if complaint := absolutePath(dir); complaint != "" {
		f := v.addf(p, "%s", complaint)
		if strings.HasPrefix(dir, "~") || strings.HasPrefix(dir, "$HOME") {
			f.hintf("the home directory of this shell is ${oc.env:HOME}")
		}
		return
	}
	if !v.text(p, dir, noControl) {
		return
	}
	if strings.Contains(dir, "%") {
		v.addf(p, "holds a %%, which Slurm replaces in the names of logs")
		return
	}
	mounted := v.cfg.Driver.Container != nil || v.cfg.CollectorActive() && v.cfg.Otel.Container != nil
	if mounted && strings.ContainsAny(dir, " ,:") {
		v.addf(p, "holds a blank, a comma or a colon, and can be mounted into no container")
	}
}
