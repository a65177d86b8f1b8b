// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package run is one submission: its id, its directory, the files it stages and the record
// that is kept of it.
package run

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/collector"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/jobscript"
)

// NewID names a submission: gym-job-<UTC time>-<6 hex>. The random end keeps two submissions
// of one second apart.
func NewID(now time.Time) string {
	var random [3]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("gym-job-%s-%s", now.UTC().Format("20060102T150405Z"), hex.EncodeToString(random[:]))
}

// Plan is everything a submission will put into its directory, rendered.
type Plan struct {
	ID         string
	Dir        string // <output_path>/<ID>
	Config     *config.Config
	Resolved   []byte // resolved-config.yaml
	Benchmarks []Benchmark
}

// Benchmark is one job of a plan.
type Benchmark struct {
	Name      string
	Dir       string // <job dir>/<name>
	Script    []byte // job.sh
	Collector []byte // otel/collector.yaml; nil without a collector
}

// Submitter is who and what submits.
type Submitter struct {
	User string
	// Binary is the gym-otelcol beside this program, used when the file names none.
	Binary string
	// Pin follows the symbolic links in the path of a collector on the host, as they are at this
	// moment; nil leaves the path as the file has it.
	Pin func(path string) string
}

// imageBinary is where this project's image holds the collector.
const imageBinary = "/usr/local/bin/gym-otelcol"

// NewPlan renders a submission. Nothing is touched.
func NewPlan(cfg *config.Config, id string, by Submitter) (*Plan, error) {
	resolved, err := cfg.Marshal()
	if err != nil {
		return nil, fmt.Errorf("write the resolved config: %w", err)
	}
	p := &Plan{ID: id, Dir: path.Join(cfg.Job.OutputPath, id), Config: cfg, Resolved: resolved}
	for _, e := range cfg.Driver.Benchmarks {
		b, err := p.render(e.Name, by)
		if err != nil {
			return nil, err
		}
		p.Benchmarks = append(p.Benchmarks, b)
	}
	return p, nil
}

func (p *Plan) render(name string, by Submitter) (Benchmark, error) {
	b := Benchmark{Name: name, Dir: path.Join(p.Dir, name)}
	var err error
	b.Script, err = jobscript.Render(p.Config, jobscript.Job{
		RunID: p.ID, Benchmark: name, Dir: b.Dir, CollectorBinary: CollectorBinary(p.Config, by),
	})
	if err != nil || !p.Config.CollectorActive() {
		return b, err
	}
	b.Collector, err = collector.Render(p.Config, collector.Job{
		RunID: p.ID, Benchmark: name, Dir: b.Dir, User: by.User,
	})
	return b, err
}

// CollectorBinary is the gym-otelcol that the job will run.
func CollectorBinary(cfg *config.Config, by Submitter) string {
	switch {
	case cfg.Otel.Binary != "" && cfg.Otel.Container == nil && by.Pin != nil:
		return by.Pin(cfg.Otel.Binary)
	case cfg.Otel.Binary != "":
		return cfg.Otel.Binary
	case cfg.Otel.Container != nil:
		return imageBinary
	default:
		return by.Binary
	}
}
