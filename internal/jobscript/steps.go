// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// service is one server's step.
type service struct {
	Name        string
	Function    string // name of the shell function that becomes it
	Port        int
	Address     string // Ray: the variable that holds it
	Command     []string
	PreCommand  string
	ExtraArgs   bool
	Env         []string
	StepOptions []string
	Health      *config.HealthCheck // nil: it is ready once its port is open
}

// driver is the driver's step.
type driver struct {
	Install     *config.GymInstall
	Extras      string // of the Gym package
	Prepare     []string
	ModelType   string
	Run         []string
	Command     string
	Env         []string
	StepOptions []string
}

func newServices(cfg *config.Config) ([]service, error) {
	var services, rays []service
	for _, e := range cfg.Services {
		s, err := newService(e.Name, e.Value, cfg.Compute[0].Value)
		if err != nil {
			return nil, fmt.Errorf("services.%s: %w", e.Name, err)
		}
		if e.Value.Type == config.ServiceRay {
			rays = append(rays, s)
		} else {
			services = append(services, s)
		}
	}
	return append(services, rays...), nil
}

func newService(name string, cfg config.Service, cluster config.Compute) (service, error) {
	s := service{
		Name:       name,
		Function:   strings.ToLower(config.ShellName(name)) + "_service_step",
		Port:       cfg.Port,
		PreCommand: strings.TrimRight(cfg.PreCommand, "\n"),
		ExtraArgs:  cfg.ExtraArgs != "",
		Health:     cfg.HealthCheck,
	}
	var err error
	if cfg.Type == config.ServiceRay {
		s.Address = rayAddress(name)
		s.Command, err = rayCommand(name, cfg, cluster)
	} else {
		s.Command, err = serveCommand(cfg)
	}
	if err != nil {
		return s, err
	}
	extra, err := shellWords(cfg.ExtraArgs)
	if err != nil {
		return s, fmt.Errorf("extra_args: %w", err)
	}
	if len(extra) > 0 {
		s.Command = append(s.Command, strings.Join(extra, " "))
	}
	if s.Env, err = assignments(cfg.Env); err != nil {
		return s, err
	}
	if cfg.Container != nil {
		s.StepOptions, err = containerOptions(*cfg.Container, cfg.Mounts, "")
	}
	return s, err
}

// serveCommand is the words of `vllm serve`, one flag with its value on a line.
func serveCommand(cfg config.Service) ([]string, error) {
	flags := [][]string{
		{"vllm", "serve", cfg.Model},
		{"--port", strconv.Itoa(cfg.Port)},
		{"--tensor-parallel-size", strconv.Itoa(cfg.TensorParallelSize)},
	}
	if cfg.ServedModelName != nil {
		flags = append(flags, []string{"--served-model-name", *cfg.ServedModelName})
	}
	if cfg.PipelineParallelSize > 1 {
		flags = append(flags, []string{"--pipeline-parallel-size", strconv.Itoa(cfg.PipelineParallelSize)})
	}
	if cfg.NumberOfInstances > 1 {
		flags = append(flags, []string{"--data-parallel-size", strconv.Itoa(cfg.NumberOfInstances)})
	}
	if cfg.TrustRemoteCode {
		flags = append(flags, []string{"--trust-remote-code"})
	}
	return quoteLines(flags)
}

// shellWords splits text the way the shell does and prints each word as it stood there:
// extra_args may use variables of the job.
func shellWords(text string) ([]string, error) {
	var words []string
	printer := syntax.NewPrinter()
	for word, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return nil, err
		}
		var out strings.Builder
		if err := printer.Print(&out, word); err != nil {
			return nil, err
		}
		words = append(words, out.String())
	}
	return words, nil
}

// InstallsOnNode reports whether NeMo Gym is installed where nothing but the job script will remove it.
func (d driver) InstallsOnNode() bool { return d.Install != nil && len(d.StepOptions) == 0 }

func newDriver(cfg *config.Config, job Job) (driver, error) {
	benchmark, _ := cfg.Driver.Benchmarks.Get(job.Benchmark)
	d := driver{
		Install:   cfg.Driver.GymInstall,
		Prepare:   overrideWords(benchmark.Prepare),
		ModelType: modelType(cfg),
		Run:       overrideWords(append(defaultOverrides(cfg, job, benchmark), benchmark.Run...)),
	}
	if cfg.GymTelemetryActive() {
		d.Extras = "[telemetry]"
	}
	if benchmark.Command != nil {
		d.Command = strings.TrimRight(*benchmark.Command, "\n")
	}
	var err error
	if d.Env, err = assignments(driverEnv(cfg, job, benchmark)); err != nil {
		return d, fmt.Errorf("driver: %w", err)
	}
	if cfg.Compute[0].Value.Type == config.ComputeSlurm && cfg.Driver.Container != nil {
		// Without the mount of the job's directory its results would end with the container.
		mounts := append(append([]string{}, cfg.Driver.Mounts...), job.Dir+":"+job.Dir)
		d.StepOptions, err = containerOptions(*cfg.Driver.Container, mounts, job.Dir)
	}
	return d, err
}

// overrideWords writes Hydra overrides that add to the config.
func overrideWords(overrides []config.Override) []string {
	var words []string
	for _, o := range overrides {
		words = append(words, "+"+o.Key+"="+o.Value)
	}
	return words
}

// containerOptions are pyxis' options of a step that runs in an image.
func containerOptions(image string, mounts []string, workdir string) ([]string, error) {
	options := []string{"--no-container-mount-home", "--container-image=" + image}
	if len(mounts) > 0 {
		options = append(options, "--container-mounts="+strings.Join(mounts, ","))
	}
	if workdir != "" {
		options = append(options, "--container-workdir="+workdir)
	}
	return quoteAll(options...)
}
