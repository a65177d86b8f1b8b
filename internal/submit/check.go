// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package submit carries out a submission: the last checks, staging, queueing or running,
// and the record.
package submit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/installation"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Refusal is what stands in the way of a submission although the file itself is right: all
// reasons, each naming the key to change. Nothing has been touched.
type Refusal struct{ Reasons []error }

// Error is one reason a line.
func (r *Refusal) Error() string { return errors.Join(r.Reasons...).Error() }

// check is one round of checks on the machine that is submitted from.
type check struct {
	host host.Host
	cfg  *config.Config
	by   run.Submitter
}

// Check looks at everything that must hold before anything is created. Warnings are for the
// user to read; a *Refusal holds all reasons not to go on.
func Check(ctx context.Context, h host.Host, cfg *config.Config, opt config.Options, by run.Submitter) (warnings []string, err error) {
	var reasons []error
	for _, err := range []error{cfg.CheckDestination(opt), cfg.CheckEnv(opt)} {
		if err != nil {
			reasons = append(reasons, err)
		}
	}
	ref, err := checkRef(ctx, cfg, opt)
	if err != nil {
		reasons = append(reasons, err)
	}
	c := check{h, cfg, by}
	there, warnings, err := c.there(ctx, opt)
	switch {
	case err != nil && len(reasons) == 0:
		return nil, err
	case err != nil:
		reasons = append(reasons, err)
	}
	if ref != "" {
		warnings = append(warnings, ref)
	}
	if reasons = append(reasons, there...); len(reasons) > 0 {
		return warnings, &Refusal{reasons}
	}
	return warnings, nil
}

// there are the checks that ask the machine. An error is one that could not be asked.
func (c check) there(ctx context.Context, opt config.Options) (reasons []error, warnings []string, err error) {
	missing, err := c.programs(ctx)
	if err != nil {
		return nil, nil, err
	}
	if missing != nil {
		reasons = append(reasons, missing)
	}
	mounts, err := c.mounts(ctx)
	if err != nil {
		return nil, nil, err
	}
	reasons = append(reasons, mounts...)
	warnings = c.odd(ctx, opt)
	more, wrong := c.files()
	warnings, reasons = append(warnings, more...), append(reasons, wrong...)
	if c.cfg.CollectorActive() && c.cfg.Otel.Container == nil {
		warning, err := c.collector(ctx)
		if err != nil {
			reasons = append(reasons, err)
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return reasons, warnings, nil
}

// machine is how messages call the machine.
func (c check) machine() string {
	if name := c.host.Name(); name != "" {
		return name
	}
	return "this machine"
}

// LocalPrograms are what a job script calls on this machine.
var LocalPrograms = []string{"awk", "bash", "cat", "date", "env", "grep", "rm", "sed", "setsid", "sh", "tail", "timeout", "wc"}

// programs looks for what the submission, or the job script on this machine, calls.
func (c check) programs(ctx context.Context) (reason, err error) {
	needed := []string{"sbatch"}
	hint := "gym-submit needs Slurm's commands on the PATH of " + c.machine()
	if c.host.Name() != "" {
		hint += " for `ssh " + c.host.Name() + " sbatch`: set it where non-interactive shells read it too"
	}
	if c.cfg.Compute[0].Value.Type == config.ComputeLocal {
		needed = LocalPrograms
		hint = "a local job needs it on the PATH of this machine"
	}
	missing, err := c.host.Missing(ctx, nil, needed)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	return fmt.Errorf("compute.%s.type: %s is not to be found: %s", c.cfg.Compute[0].Name, strings.Join(missing, ", "), hint), nil
}

func (c check) mounts(ctx context.Context) (reasons []error, err error) {
	type mount struct{ key, source string }
	var (
		mounts  []mount
		sources []string
	)
	add := func(key string, specs []string) {
		for _, m := range specs {
			source, _, _ := strings.Cut(m, ":")
			mounts, sources = append(mounts, mount{key, source}), append(sources, source)
		}
	}
	for _, s := range c.cfg.Services {
		add("services."+s.Name+".mounts", s.Value.Mounts)
	}
	add("driver.mounts", c.cfg.Driver.Mounts)
	missing, err := c.host.Missing(ctx, sources, nil)
	for _, m := range mounts {
		if slices.Contains(missing, m.source) {
			reasons = append(reasons, fmt.Errorf("%s: the mount's source %s is not there on %s", m.key, m.source, c.machine()))
		}
	}
	return reasons, err
}

// collector asks the collector what it holds, where it can be reached from the machine.
func (c check) collector(ctx context.Context) (warning string, err error) {
	binary, err := c.binary(ctx)
	if err != nil {
		return "", err
	}
	missing, err := c.host.Missing(ctx, []string{binary}, nil)
	if err != nil {
		return "", err
	}
	if len(missing) > 0 {
		switch {
		case c.cfg.Otel.Binary == "":
			return "", fmt.Errorf("otel.binary: there is no gym-otelcol beside gym-submit (%s): write the absolute path of one, or set otel.enabled: false", binary)
		case c.cfg.Compute[0].Value.Type == config.ComputeLocal:
			return "", fmt.Errorf("otel.binary: %s is not there", binary)
		}
		return fmt.Sprintf("otel.binary: %s is not there on %s; the job will find out whether the compute nodes have it", binary, c.machine()), nil
	}
	// It needs no environment, and the token is none of its business.
	out, _, err := c.host.Run(ctx, host.Command{Args: []string{binary, "components"}, Bare: true, Limit: 20 * time.Second})
	if err != nil {
		return "", fmt.Errorf("otel.binary: %s components: %w: it must be a gym-otelcol that runs on %s", binary, err, c.machine())
	}
	if !holdsGym([]byte(out)) {
		return "", fmt.Errorf("otel.binary: %s is a collector without the gym processor: write the path of a gym-otelcol, such as %s",
			binary, filepath.Join(filepath.Dir(c.by.Binary), "gym-otelcol"))
	}
	return "", nil
}

// binary is the collector's path on the machine.
func (c check) binary(ctx context.Context) (string, error) {
	binary := run.CollectorBinary(c.cfg, c.by)
	if c.host.Name() == "" || !strings.Contains(binary, installation.Arch) {
		return installation.Here(binary), nil
	}
	kind, _, err := c.host.Run(ctx, host.Command{Args: []string{"uname", "-m"}})
	return installation.For(binary, strings.TrimSpace(kind)), err
}

// holdsGym reads the output of the collector's `components` command.
func holdsGym(components []byte) bool {
	var list struct {
		Processors []struct {
			Name string `yaml:"name"`
		} `yaml:"processors"`
	}
	if yaml.Unmarshal(components, &list) != nil {
		return false
	}
	for _, p := range list.Processors {
		if p.Name == "gym" {
			return true
		}
	}
	return false
}
