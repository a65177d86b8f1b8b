// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package submit carries out a submission: the last checks, staging, queueing or running,
// and the record.
package submit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/installation"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Refusal is what stands in the way of a submission although the file itself is right: all
// reasons, each naming the key to change. Nothing has been touched.
type Refusal struct{ Reasons []error }

// Error is one reason a line.
func (r *Refusal) Error() string { return errors.Join(r.Reasons...).Error() }

// Check looks at everything that must hold before anything is created. Warnings are for the
// user to read; a *Refusal holds all reasons not to go on.
func Check(ctx context.Context, cfg *config.Config, opt config.Options, by run.Submitter) (warnings []string, err error) {
	var reasons []error
	if err := cfg.CheckDestination(opt); err != nil {
		reasons = append(reasons, err)
	}
	if err := cfg.CheckEnv(opt); err != nil {
		reasons = append(reasons, err)
	}
	if err := checkHost(cfg); err != nil {
		reasons = append(reasons, err)
	}
	if err := checkPrograms(cfg); err != nil {
		reasons = append(reasons, err)
	}
	reasons = append(reasons, checkMounts(cfg)...)
	warnings = append(warnings, odd(ctx, cfg, opt)...)
	if cfg.CollectorActive() && cfg.Otel.Container == nil {
		warning, err := checkCollector(ctx, cfg, by)
		if err != nil {
			reasons = append(reasons, err)
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	warning, err := checkRef(ctx, cfg, opt)
	if err != nil {
		reasons = append(reasons, err)
	}
	if warning != "" {
		warnings = append(warnings, warning)
	}
	if len(reasons) > 0 {
		return warnings, &Refusal{reasons}
	}
	return warnings, nil
}

// checkHost refuses another machine: submission over ssh does not exist yet.
func checkHost(cfg *config.Config) error {
	cluster := cfg.Compute[0]
	host := cluster.Value.Hostname
	own, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("find out this machine's name: %w", err)
	}
	short, _, _ := strings.Cut(own, ".")
	switch host {
	case "", "localhost", own, short:
		return nil
	}
	return fmt.Errorf("compute.%s.hostname: %s is another machine (this is %s), and submitting over ssh is not supported yet: run gym-submit there, or remove the key",
		cluster.Name, host, own)
}

// LocalPrograms are what a job script calls on this machine.
var LocalPrograms = []string{"awk", "bash", "cat", "date", "env", "grep", "rm", "sed", "setsid", "sh", "tail", "timeout", "wc"}

// checkPrograms looks for what the submission, or the job script on this machine, calls.
func checkPrograms(cfg *config.Config) error {
	needed := []string{"sbatch"}
	hint := "gym-submit needs Slurm's commands on the PATH of this machine"
	if cfg.Compute[0].Value.Type == config.ComputeLocal {
		needed = LocalPrograms
		hint = "a local job needs it on the PATH of this machine"
	}
	var missing []string
	for _, program := range needed {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("compute.%s.type: %s is not to be found: %s", cfg.Compute[0].Name, strings.Join(missing, ", "), hint)
}

func checkMounts(cfg *config.Config) []error {
	var reasons []error
	check := func(key string, mounts []string) {
		for _, m := range mounts {
			source, _, _ := strings.Cut(m, ":")
			if _, err := os.Stat(source); err != nil {
				reasons = append(reasons, fmt.Errorf("%s: the mount's source %s is not there: %w", key, source, errors.Unwrap(err)))
			}
		}
	}
	for _, s := range cfg.Services {
		check("services."+s.Name+".mounts", s.Value.Mounts)
	}
	check("driver.mounts", cfg.Driver.Mounts)
	return reasons
}

// checkCollector asks the collector what it holds, where it can be reached from here.
func checkCollector(ctx context.Context, cfg *config.Config, by run.Submitter) (warning string, err error) {
	binary := installation.Here(run.CollectorBinary(cfg, by))
	if _, err := os.Stat(binary); err != nil {
		switch {
		case cfg.Otel.Binary == "":
			return "", fmt.Errorf("otel.binary: there is no gym-otelcol beside gym-submit (%s): write the absolute path of one, or set otel.enabled: false", binary)
		case cfg.Compute[0].Value.Type == config.ComputeLocal:
			return "", fmt.Errorf("otel.binary: %s is not there: %w", binary, errors.Unwrap(err))
		}
		return fmt.Sprintf("otel.binary: %s is not there on this machine; the job will find out whether the compute nodes have it", binary), nil
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "components")
	cmd.Env = []string{} // it needs nothing, and the token is none of its business
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("otel.binary: %s components: %w: it must be a gym-otelcol that runs here", binary, err)
	}
	if !holdsGym(out) {
		return "", fmt.Errorf("otel.binary: %s is a collector without the gym processor: write the path of a gym-otelcol, such as %s",
			binary, filepath.Join(filepath.Dir(by.Binary), "gym-otelcol"))
	}
	return "", nil
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
