// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
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
