// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// odd are warnings about what may be meant and seldom is.
func (c check) odd(ctx context.Context, opt config.Options) (warnings []string) {
	if c.cfg.CollectorActive() && !c.cfg.Otel.UsesFile() && opt.LookupEnv != nil {
		token, _ := opt.LookupEnv(c.cfg.Otel.TokenEnv)
		if scheme, _, found := strings.Cut(token, " "); found && strings.EqualFold(scheme, "bearer") {
			warnings = append(warnings, c.cfg.Otel.TokenEnv+" begins with the word Bearer, which the collector adds itself: the backend will see it twice")
		}
	}
	if names := c.twins(ctx, opt); len(names) > 0 {
		warnings = append(warnings, "the token is in "+strings.Join(names, ", ")+
			" too, which the benchmark gets: unset it in the shell that submits, or take a token of its own")
	}
	if names := c.ignoredOptions(ctx); len(names) > 0 {
		shell := "this shell"
		if c.host.Name() != "" {
			shell = "the shell on " + c.host.Name()
		}
		warnings = append(warnings, "ignored from "+shell+": "+strings.Join(names, ", ")+" (the file alone says what the job gets: compute.<name>.extra_args)")
	}
	if usesImages(c.cfg) && !c.pyxisIsThere(ctx) {
		warnings = append(warnings, "srun on "+c.machine()+" has no --container-image: steps in images need the pyxis plugin; with container: null a step runs on the host")
	}
	return append(warnings, oddDriver(c.cfg.Driver)...)
}

// oddDriver warns of what only shows when the model is loaded, or when the results are gone.
func oddDriver(d config.Driver) (warnings []string) {
	for _, b := range d.Benchmarks {
		if b.Value.Command == nil && d.GymInstall == nil && d.Container != nil && strings.HasPrefix(*d.Container, "python:") {
			warnings = append(warnings, fmt.Sprintf("driver.container: %s holds no gym, which benchmark %s calls: set driver.gym_install, or name an image with Gym in it",
				*d.Container, b.Name))
		}
		for _, o := range b.Value.Run {
			if o.Key == "output_jsonl_fpath" && !strings.HasPrefix(o.Value, "/") && (d.GymInstall != nil || d.Container != nil) {
				warnings = append(warnings, fmt.Sprintf("driver.benchmarks.%s.run.output_jsonl_fpath: %s is relative to where the driver runs, and may end with its container: write an absolute path",
					b.Name, o.Value))
			}
		}
	}
	return warnings
}

// twins are other variables that hold the token and that the steps of the job get: on this
// machine sbatch carries the whole environment.
func (c check) twins(ctx context.Context, opt config.Options) (names []string) {
	const long = 8 // a shorter token may be a part of anything
	if !c.cfg.CollectorActive() || c.cfg.Otel.UsesFile() || opt.LookupEnv == nil {
		return nil
	}
	token, _ := opt.LookupEnv(c.cfg.Otel.TokenEnv)
	travelling := c.cfg.ShellVariables()
	if c.host.Name() == "" {
		all, _ := c.host.Environ(ctx)
		travelling = append(travelling, all...)
	}
	slices.Sort(travelling)
	for _, name := range slices.Compact(travelling) {
		value, _ := opt.LookupEnv(name)
		same := value == token || len(token) >= long && strings.Contains(value, token)
		if token != "" && same && name != c.cfg.Otel.TokenEnv && !keptFromJobs(name) {
			names = append(names, name)
		}
	}
	return names
}

// ignoredOptions are options of sbatch that the shell sets and the job does not get.
func (c check) ignoredOptions(ctx context.Context) (names []string) {
	if c.cfg.Compute[0].Value.Type != config.ComputeSlurm {
		return nil
	}
	variables, _ := c.host.Environ(ctx) // what cannot be asked is said elsewhere
	for _, name := range variables {
		if strings.HasPrefix(name, "SBATCH_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func usesImages(cfg *config.Config) bool {
	if cfg.Compute[0].Value.Type != config.ComputeSlurm {
		return false
	}
	for _, s := range cfg.Services {
		if s.Value.Container != nil {
			return true
		}
	}
	return cfg.Driver.Container != nil || (cfg.CollectorActive() && cfg.Otel.Container != nil)
}

// pyxisIsThere asks srun, whose help shows the options of its plugins. Without an answer the
// job will find out.
func (c check) pyxisIsThere(ctx context.Context) bool {
	help, _, err := c.host.Run(ctx, host.Command{Args: []string{"srun", "--help"}, Limit: 5 * time.Second})
	return err != nil || strings.Contains(help, "--container-image")
}
