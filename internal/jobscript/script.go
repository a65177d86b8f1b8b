// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package jobscript renders job.sh, the batch script of one benchmark. The script holds the
// whole life of the job: the collector, the services, the driver, and how they end. Slurm and
// `local` run the same script; what differs stands in one section of the template.
package jobscript

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

//go:embed job.sh.tmpl
var source string

var parsed = template.Must(template.New("job.sh").Funcs(template.FuncMap{"q": quote}).Parse(source))

// Job is one benchmark of a run, as far as its script needs to know it.
type Job struct {
	RunID     string
	Benchmark string
	Dir       string // absolute, <job dir>/<benchmark>
	// CollectorBinary is the gym-otelcol to run, as an absolute path where the step runs.
	CollectorBinary string
}

// script is what the template sees.
type script struct {
	Job
	Version    string
	Directives []string // text after "#SBATCH "
	Local      bool
	RunSeconds int            // local only: the walltime less the time that an orderly end takes; 0 means no limit
	Collector  *collectorStep // nil: no trace of it in the script
	Placement  placement
	Services   []service
	Driver     driver
	Cluster    string
	Hooks      *hooks // nil: none

	DriverStopTimeoutSeconds  int
	ServiceStopTimeoutSeconds int
}

// Time limits of the end of a job, in seconds.
const (
	driverStopTimeout    = 10
	collectorStopTimeout = 30
	serviceStopTimeout   = 2
)

// Render returns the script of one benchmark. cfg has been validated.
func Render(cfg *config.Config, job Job) ([]byte, error) {
	s, err := newScript(cfg, job)
	if err != nil {
		return nil, fmt.Errorf("render job.sh of benchmark %s: %w", job.Benchmark, err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("render job.sh of benchmark %s: %w", job.Benchmark, err)
	}
	return out.Bytes(), nil
}

func newScript(cfg *config.Config, job Job) (*script, error) {
	cluster := cfg.Compute[0].Value
	s := &script{
		Job:     job,
		Version: version.Version,
		Local:   cluster.Type == config.ComputeLocal,

		DriverStopTimeoutSeconds:  driverStopTimeout,
		ServiceStopTimeoutSeconds: serviceStopTimeout,
	}
	s.Cluster, _ = cfg.Cluster()
	s.Hooks = newHooks(cfg.Hooks)
	walltime, lead, err := timeLimit(cluster.Walltime, s.Hooks.timeLimit())
	if err != nil {
		return nil, err
	}
	if s.Local {
		s.RunSeconds = int(max(0, walltime-lead).Round(time.Second).Seconds())
	} else if s.Directives, err = directives(cfg, lead, job); err != nil {
		return nil, err
	}
	if cfg.CollectorActive() {
		if s.Collector, err = newCollectorStep(cfg, job, s.Local); err != nil {
			return nil, err
		}
	}
	s.Placement = newPlacement(cfg)
	if s.Services, err = newServices(cfg); err != nil {
		return nil, err
	}
	s.Driver, err = newDriver(cfg, job)
	return s, err
}
