// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// odd are warnings about what may be meant and seldom is.
func odd(ctx context.Context, cfg *config.Config, opt config.Options) (warnings []string) {
	if cfg.CollectorActive() && opt.LookupEnv != nil {
		token, _ := opt.LookupEnv(cfg.Otel.TokenEnv)
		if scheme, _, found := strings.Cut(token, " "); found && strings.EqualFold(scheme, "bearer") {
			warnings = append(warnings, cfg.Otel.TokenEnv+" begins with the word Bearer, which the collector adds itself: the backend will see it twice")
		}
	}
	if names := ignoredOptions(os.Environ()); len(names) > 0 && cfg.Compute[0].Value.Type == config.ComputeSlurm {
		warnings = append(warnings, "ignored from this shell: "+strings.Join(names, ", ")+" (the file alone says what the job gets: compute.<name>.extra_args)")
	}
	if usesImages(cfg) && !pyxisIsHere(ctx) {
		warnings = append(warnings, "srun on this machine has no --container-image: steps in images need the pyxis plugin; with container: null a step runs on the host")
	}
	return append(warnings, oddDriver(cfg.Driver)...)
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

// pyxisIsHere asks srun, whose help shows the options of its plugins. Without an answer the
// job will find out.
func pyxisIsHere(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	help, err := exec.CommandContext(ctx, "srun", "--help").Output()
	return err != nil || strings.Contains(string(help), "--container-image")
}
