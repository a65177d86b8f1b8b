// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"slices"
)

// What the tags of the model do not say: which keys must be there, what holds when a key
// is missing, and which keys of upstream's schema are known but not supported.

var requiredHints = map[string]string{
	"container": "write null to run the step on the host",
	"type":      "",
	"ref":       "a branch, a tag or a commit of NeMo Gym",
}

func (*Config) required() []string { return []string{"services", "compute", "driver", "job"} }

func (c *Config) setDefaults() {
	// The section may be missing as a whole.
	c.Otel.setDefaults()
}

// variant makes the keys of other types of service unknown ones.
func (s Service) variant() string { return s.Type }

func (s *Service) required() []string {
	if s.Type == ServiceRay {
		return []string{"type"}
	}
	return []string{"type", "model"}
}

func (s *Service) setDefaults() {
	if s.Type == ServiceRay {
		s.Port = 6379
		return
	}
	s.Port = 8000
	s.TensorParallelSize = 1
	s.PipelineParallelSize = 1
	s.NumberOfInstances = 1
	s.DataParallelRPCPort = 13345
	s.HealthCheck = newHealthCheck()
}

func newHealthCheck() *HealthCheck {
	var h HealthCheck
	h.setDefaults()
	return &h
}

func (h *HealthCheck) setDefaults() {
	h.Path = "/health"
	h.TimeoutSeconds = 60
}

func (*DistributedBackend) required() []string { return []string{"type"} }

func (*Compute) required() []string { return []string{"type"} }

func (*Compute) unsupported() map[string]tolerated {
	return map[string]tolerated{"lustre_md_stats": {"false"}}
}

func (*NodePool) required() []string { return []string{"partition"} }

func (p *NodePool) setDefaults() {
	p.Nodes = 1
	p.NtasksPerNode = 1
}

func (*Driver) required() []string { return []string{"benchmarks"} }

func (d *Driver) setDefaults() {
	d.PolicyHost = "localhost"
	d.PolicyModelType = "openai_model"
}

func (*GymInstall) required() []string { return []string{"ref"} }

func (g *GymInstall) setDefaults() { g.Repo = "https://github.com/NVIDIA-NeMo/gym" }

func (*Benchmark) unsupported() map[string]tolerated {
	return map[string]tolerated{"resumable": {"false"}}
}

func (*Job) required() []string { return []string{"output_path"} }

func (o *Otel) setDefaults() {
	gpu, node := 9400, 9100
	*o = Otel{
		Enabled:                   true,
		TokenEnv:                  "OTEL_TOKEN",
		Component:                 "gym-vllm",
		GymSpanGroups:             "default,verify",
		GymLogs:                   true,
		GPUMetricsPort:            &gpu,
		NodeMetricsPort:           &node,
		ScrapeIntervalSeconds:     15,
		HealthCheckTimeoutSeconds: 300,
	}
}

// decode looks at the type first: the keys of a type that is not supported say nothing
// about those that are.
func (s *Service) decode(d *decoder, n *node, p keyPath) {
	if d.typed(n, p, []string{ServiceVLLM, ServiceRay}, []string{"vllm_pd"}) {
		s.Type = ServiceVLLM
		if kind := n.get("type"); kind != nil && kind.kind == scalar && kind.text == ServiceRay {
			s.Type = ServiceRay
		}
		d.structure(n, p, reflect.ValueOf(s).Elem())
	}
}

func (c *Compute) decode(d *decoder, n *node, p keyPath) {
	if d.typed(n, p, []string{ComputeSlurm, ComputeLocal}, []string{"kubernetes"}) {
		d.structure(n, p, reflect.ValueOf(c).Elem())
	}
}

// typed checks the key `type` of a mapping, and tells whether its other keys can be read.
func (d *decoder) typed(n *node, p keyPath, known, lagging []string) bool {
	kind := n.get("type")
	if kind == nil || kind.kind != scalar || kind.isNull() || kind.isUnset() || kind.broken {
		return true // the decoder reports it
	}
	at := p.key("type")
	switch {
	case slices.Contains(known, kind.text):
		return true
	case slices.Contains(lagging, kind.text):
		d.addf(kind.at, at, "%s is not supported yet", kind.text)
	case nearest(kind.text, known) != "":
		d.oneOf(kind, at, known...)
		return true
	default:
		d.oneOf(kind, at, known...)
	}
	d.bad[p.String()] = true
	return false
}

// decode reads the names of a mapping, which are free, and their values.
func (m *Map[T]) decode(d *decoder, n *node, p keyPath) {
	if n.kind != mapping {
		d.addf(n.at, p, "expected a mapping, found %s", n.describe())
		return
	}
	for _, f := range n.fields {
		e := Entry[T]{Name: f.key}
		// A text without a value is an option without one.
		if _, text := any(e.Value).(string); !text || !f.value.isNull() {
			d.value(f.value, p.key(f.key), reflect.ValueOf(&e.Value).Elem())
		}
		*m = append(*m, e)
	}
}
