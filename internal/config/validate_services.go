// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
)

func (v *validator) services() {
	shellNames := map[string]string{}
	for i := range v.cfg.Services {
		e := &v.cfg.Services[i]
		p := path("services", e.Name)
		if !v.ok(p) {
			continue
		}
		v.serviceName(e.Name, p, shellNames)
		v.service(&e.Value, p)
	}
}

// serviceName checks a name that becomes part of file names and shell variables.
func (v *validator) serviceName(name string, p keyPath, shellNames map[string]string) {
	shell := ShellName(name)
	first, taken := shellNames[shell]
	switch {
	case !isName(name):
		v.keyf(p, "is no name for a service").hintf(nameRule)
	case shell == ShellName("otel_collector"), shell == ShellName("driver"):
		v.keyf(p, "the name is reserved for a step of the job itself").hintf("choose another name")
	case name == "hook":
		v.keyf(p, "the name is reserved: logs/hook-<id>.log is the log of hooks").hintf("choose another name")
	case name == "job":
		v.keyf(p, "the name is reserved: logs/job-<id>.log is the log of the job itself").hintf("choose another name")
	case taken:
		v.keyf(p, "%s and %s give the same name of a shell variable, %s", first, name, shell).
			hintf("choose names that differ in more than case and punctuation")
	case v.cfg.ScrapeName(name) == "dcgm", v.cfg.ScrapeName(name) == "node":
		v.keyf(p, "the metrics of %s are the node's own", name).hintf("choose another name, or set otel.component")
	default:
		shellNames[shell] = name
	}
}

func (v *validator) service(s *Service, p keyPath) {
	v.serviceContainer(s, p)
	if cluster, _ := v.cfg.Cluster(); s.Placement != cluster {
		at := p.key("placement")
		v.addf(at, "does not match any compute resource%s", v.origin.find(at).suffix()).hintf("there is %s", cluster)
	}
	v.healthCheck(s, p.key("health_check"))
	v.env(s.Env, p.key("env"))
	v.mounts(s.Mounts, p.key("mounts"), s.Container != nil)
	v.shell(p.key("pre_command"), s.PreCommand)
	v.port(p.key("port"), s.Port)
	if words, complaint := shellWords(s.ExtraArgs); complaint != "" {
		v.shellf(p.key("extra_args"), complaint).hintf("extra_args holds the further words of one command")
	} else {
		s.ExtraArgs = words
	}
	if s.Type == ServiceRay {
		v.ray(s, p)
	} else {
		v.vllm(s, p)
	}
}

func (v *validator) vllm(s *Service, p keyPath) {
	v.text(p.key("model"), s.Model, notBlank, noControl, noDash)
	v.optional(p.key("served_model_name"), s.ServedModelName, notBlank, noControl, noDash)
	v.atLeastOne(p.key("tensor_parallel_size"), s.TensorParallelSize)
	v.atLeastOne(p.key("pipeline_parallel_size"), s.PipelineParallelSize)
	v.atLeastOne(p.key("number_of_instances"), s.NumberOfInstances)
	v.port(p.key("data_parallel_rpc_port"), s.DataParallelRPCPort)
	if s.NodePool != "" {
		v.pool(s.NodePool, p.key("node_pool"))
	}
	if s.UseRayServe {
		v.warnf(p.key("use_ray_serve"), "one node needs no gateway: vLLM serves the instances itself, at the same port")
	}
	v.backend(s, p.key("distributed_backend"))
}

// pool checks the name of a node pool.
func (v *validator) pool(name string, p keyPath) {
	_, compute := v.cfg.Cluster()
	if _, ok := compute.NodePools.Get(name); !ok && v.ok(path("compute")) {
		v.known(p, "node pool", name, compute.NodePools.names())
	}
}

// known reports a reference to something that is not there.
func (v *validator) known(p keyPath, what, name string, known []string) {
	f := v.addf(p, "there is no such %s%s", what, v.origin.find(p).suffix())
	if near := nearest(name, known); near != "" {
		f.hintf("did you mean %s?", near)
	} else if len(known) > 0 {
		f.hintf("known: %s", strings.Join(known, ", "))
	}
}

func (v *validator) healthCheck(s *Service, p keyPath) {
	if s.HealthCheck == nil {
		return
	}
	if s.Type == ServiceRay && s.HealthCheck.Port == 0 && v.origin.find(p.key("port")) == nil {
		v.addf(p.key("port"), "is required: the head's own port does not speak HTTP").
			hintf("8265 is the dashboard's; without health_check the job waits until the head listens")
		return
	}
	v.text(p.key("path"), s.HealthCheck.Path, healthPath, noControl, noBlanks)
	v.port(p.key("port"), s.HealthCheck.Port)
	v.atLeastOne(p.key("timeout_seconds"), s.HealthCheck.TimeoutSeconds)
}

func healthPath(s string) string {
	if !strings.HasPrefix(s, "/") {
		return "has to begin with /"
	}
	return ""
}

// serviceContainer: a step without a container runs on the host, but only on purpose.
func (v *validator) serviceContainer(s *Service, p keyPath) {
	p = p.key("container")
	_, compute := v.cfg.Cluster()
	if compute.Type == ComputeSlurm && v.origin.find(p) == nil {
		v.addf(p, "is required").hintf("%s", requiredHints["container"])
		return
	}
	v.container(s.Container, p)
}

// container checks the image of any step.
func (v *validator) container(image *string, p keyPath) {
	if image == nil {
		return
	}
	if _, compute := v.cfg.Cluster(); compute.Type == ComputeLocal {
		v.addf(p, "local runs steps on this machine").hintf("remove it or write null")
		return
	}
	v.text(p, *image, notBlank, noControl)
}

// backend keeps a key of the first upstream schema working. It changes nothing: vLLM
// chooses mp by itself.
func (v *validator) backend(s *Service, p keyPath) {
	switch {
	case s.DistributedBackend == nil:
	case s.DistributedBackend.Type != "mp":
		at := p.key("type")
		v.addf(at, "there is no such type%s", v.origin.find(at).suffix()).hintf("known: mp")
	case s.NumberOfInstances == 1:
		v.addf(p, "needs number_of_instances above 1").hintf("remove it")
	}
}

// env checks the environment of a step.
func (v *validator) env(env Map[EnvVar], p keyPath) {
	token := v.cfg.Otel.TokenEnv
	for _, e := range env {
		at := p.key(e.Name)
		switch {
		case !isEnvName(e.Name):
			v.keyf(at, "is no name of an environment variable").
				hintf("letters, digits and underscores, not beginning with a digit")
		case !isSettable(e.Name):
			v.keyf(at, "cannot be set for a step: bash, Slurm or the job script itself sets it").hintf("use another name")
		case e.Name == token:
			v.keyf(at, "is the variable of the token, which only the collector gets").hintf("use another name")
		case e.Value.Source != EnvLiteral && e.Value.Value == token:
			v.addf(at, "hands on the token, which only the collector gets").hintf("use a token of its own")
		case e.Value.Source == EnvLiteral && looksSecret(e.Name) && v.origin.fromEnv(at):
			v.warnf(at, "takes its value into the files of the run, where others can read it").
				hintf("host:NAME hands it on without")
		}
	}
}

// isSettable tells variables that a step can have from those that bash does not let anybody
// set, and from those by which the script knows its way.
func isSettable(name string) bool {
	return !strings.HasPrefix(name, "gym_") && !slices.Contains([]string{
		"BASHOPTS", "BASHPID", "BASH_VERSINFO", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS",
		"LINENO", "PPID", "RANDOM", "SECONDS", "SHELLOPTS", "SLURM_JOB_ID", "SRANDOM", "UID", "_",
	}, name)
}

// looksSecret guesses from the name of a variable.
func looksSecret(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"TOKEN", "KEY", "SECRET", "PASS", "CREDENTIAL"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// mounts checks `src[:dst[:flags]]`. pyxis separates mounts with commas, and enroot the
// parts of one with blanks, and neither knows an escape.
func (v *validator) mounts(mounts []string, p keyPath, hasContainer bool) {
	if len(mounts) > 0 && !hasContainer && v.ok(p) {
		v.warnf(p, "has no effect, since the step has no container")
	}
	for i, mount := range mounts {
		at := p.item(i)
		parts := strings.Split(mount, ":")
		switch {
		case noControl(mount) != "" || strings.ContainsAny(mount, " ,"):
			v.addf(at, "holds a blank, a comma or a control character, which no mount can")
		case len(parts) > 3:
			v.addf(at, "has too many parts").hintf("a mount is src, src:dst or src:dst:flags")
		case !strings.HasPrefix(parts[0], "/"):
			v.addf(at, "the source has to be an absolute path").hintf("a mount is src, src:dst or src:dst:flags")
		case len(parts) > 1 && !strings.HasPrefix(parts[1], "/"):
			v.addf(at, "the target has to be an absolute path").hintf("a mount is src, src:dst or src:dst:flags")
		case len(parts) > 2 && parts[2] == "":
			v.addf(at, "the flags are empty").hintf("a mount is src, src:dst or src:dst:flags")
		}
	}
}
