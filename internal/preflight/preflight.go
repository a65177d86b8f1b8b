// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package preflight asks the cluster and the backend what a submit file alone cannot tell:
// whether a job of it would start, run and deliver. It submits nothing.
package preflight

import (
	"context"
	"slices"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// State of one finding.
type State string

// The states. A warning keeps no job from running; what was skipped could not be asked.
const (
	OK      State = "ok"
	Warning State = "warning"
	Failed  State = "failed"
	Skipped State = "skipped"
)

// Finding is the result of one check.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Says  string `json:"says"`
	// Do is what to do about it; empty when there is nothing to do.
	Do string `json:"do,omitempty"`
}

// Machine runs commands where jobs are submitted. None of them changes anything that stays.
type Machine interface {
	// Name is empty for this machine.
	Name() string
	// Run returns what the command printed on its two outputs.
	Run(ctx context.Context, args ...string) (stdout, stderr string, err error)
}

// Preflight checks one submission.
type Preflight struct {
	Config  *config.Config
	Options config.Options
	By      run.Submitter
	Machine Machine
	// Plan holds the job scripts that would be submitted.
	Plan *run.Plan
	// Found is told of each finding when it is there: some take their time.
	Found func(Finding)

	findings []Finding
}

// Run makes all checks, whatever the others say.
func (p *Preflight) Run(ctx context.Context) []Finding {
	there := p.reachable(ctx)
	if there {
		p.cluster(ctx)
	}
	p.variables()
	if p.Config.CollectorActive() {
		if there {
			p.collector(ctx)
		}
		p.backend(ctx)
	} else {
		p.add(Finding{"collector", Skipped, "jobs of this file have no collector: nothing is exported", ""})
	}
	return p.findings
}

// reachable reports whether the machine that the file names answers.
func (p *Preflight) reachable(ctx context.Context) bool {
	if p.Machine.Name() == "" {
		return true
	}
	if _, said, err := p.shell(ctx, "true"); err != nil {
		p.add(Finding{
			"host", Failed, p.Machine.Name() + " cannot be asked: " + reason(said, err),
			"see whether `ssh " + p.Machine.Name() + "` works without a question, or change " + p.key("hostname"),
		})
		return false
	}
	p.add(Finding{"host", OK, p.Machine.Name() + " answers over ssh", ""})
	return true
}

// cluster asks where jobs are submitted.
func (p *Preflight) cluster(ctx context.Context) {
	p.programs(ctx)
	p.outputPath(ctx)
	p.mounts(ctx)
	if p.onSlurm() {
		if p.partitions(ctx) {
			p.account(ctx)
			p.request(ctx)
		}
	}
}

// Passed reports whether nothing failed.
func Passed(findings []Finding) bool {
	return !slices.ContainsFunc(findings, func(f Finding) bool { return f.State == Failed })
}

func (p *Preflight) add(f Finding) {
	p.findings = append(p.findings, f)
	if p.Found != nil {
		p.Found(f)
	}
}

func (p *Preflight) onSlurm() bool {
	_, cluster := p.Config.Cluster()
	return cluster.Type == config.ComputeSlurm
}

// key is a key below the sole compute resource.
func (p *Preflight) key(name string) string {
	cluster, _ := p.Config.Cluster()
	return "compute." + cluster + "." + name
}

// where says on which machine something is, when that is not this one.
func (p *Preflight) where() string {
	if name := p.Machine.Name(); name != "" {
		return " on " + name
	}
	return ""
}

// variables are those of the submitting shell that env: host:NAME asks for.
func (p *Preflight) variables() {
	if err := p.Config.CheckEnv(p.Options); err != nil {
		p.add(Finding{"environment", Failed, err.Error(), "export what is missing in this shell"})
	}
}
