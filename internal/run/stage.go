// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// Files of a job directory.
const (
	RecordName    = "gym-job.json"
	ResolvedName  = "resolved-config.yaml"
	ScriptName    = "job.sh"
	CollectorName = "otel/collector.yaml"
	// LockName is the file that a call holds locked while it changes the record.
	LockName = ".gym-job.lock"
)

// Stage creates the job directory with all of its files. It is built under another name and
// renamed: a directory with the run's id is whole or not there.
func (p *Plan) Stage(ctx context.Context, h host.Host) error {
	if err := h.Place(ctx, p.Dir, p.write); err != nil {
		return fmt.Errorf("stage the run in job.output_path (%s): %w", filepath.Dir(p.Dir), err)
	}
	return nil
}

// File is one file of a plan. Path is relative to the job directory.
type File struct {
	Path string
	Data []byte
	mode os.FileMode
}

// Files lists everything that Stage writes, in the order of the benchmarks.
func (p *Plan) Files() []File {
	files := []File{{ResolvedName, p.Resolved, 0o600}}
	for _, b := range p.Benchmarks {
		files = append(files, File{path.Join(b.Name, ScriptName), b.Script, 0o600})
		if b.Collector != nil {
			files = append(files, File{path.Join(b.Name, CollectorName), b.Collector, 0o600})
		}
	}
	return files
}

func (p *Plan) write(dir string) error {
	for _, b := range p.Benchmarks {
		for _, d := range []string{b.Name, path.Join(b.Name, "logs"), path.Join(b.Name, "artifacts")} {
			if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
				return err
			}
		}
		// What the job exports is its owner's alone.
		if b.Collector != nil {
			if err := os.Mkdir(filepath.Join(dir, b.Name, "otel"), 0o700); err != nil {
				return err
			}
		}
	}
	for _, f := range p.Files() {
		if err := os.WriteFile(filepath.Join(dir, f.Path), f.Data, f.mode); err != nil {
			return err
		}
	}
	return nil
}
