// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/authority"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/tokenfile"
)

// Job is one job directory, and where its telemetry goes.
type Job struct {
	Dir      string
	Endpoint string
	Token    string // empty in a dry run

	// Authorities are those of otel.ca_file; nil: the system's.
	Authorities *x509.CertPool
}

func (j Job) otel() string { return filepath.Join(j.Dir, "otel") }

// Mistake is what the caller has to change: a directory, a flag or a variable.
type Mistake struct{ error }

// Unwrap returns the reason.
func (m Mistake) Unwrap() error { return m.error }

func mistakef(format string, args ...any) error { return Mistake{fmt.Errorf(format, args...)} }

// Where says where the jobs' telemetry goes.
type Where struct {
	Endpoint  string // empty: that of the run
	TokenEnv  string // the variable that has the token; empty: as the run says
	WithToken bool
	Config    config.Options
}

const resolvedName = "resolved-config.yaml"

// Find returns the jobs of run and job directories, each once.
func Find(paths []string, where Where) ([]Job, error) {
	var jobs []Job
	for _, path := range paths {
		found, err := find(path, where)
		if err != nil {
			return nil, err
		}
		for _, job := range found {
			if !slices.ContainsFunc(jobs, func(j Job) bool { return j.Dir == job.Dir }) {
				jobs = append(jobs, job)
			}
		}
	}
	return jobs, nil
}

func find(path string, where Where) ([]Job, error) {
	dir, err := resolve(path)
	if err != nil {
		return nil, err
	}
	run, dirs := dir, []string(nil)
	if !exists(filepath.Join(dir, resolvedName)) {
		run, dirs = filepath.Dir(dir), []string{dir}
		if !exists(filepath.Join(run, resolvedName)) {
			return nil, mistakef("%s is neither a run directory, which has a %s, nor a job directory in one: name the directory that gym-submit printed",
				path, resolvedName)
		}
	}
	cfg, err := load(filepath.Join(run, resolvedName), where)
	if err != nil {
		return nil, err
	}
	if !cfg.CollectorActive() {
		return nil, mistakef("%s had no collector, so there is nothing to send", run)
	}
	if dirs == nil {
		dirs = dirsOf(run, cfg)
	}
	return jobsIn(dirs, cfg, where)
}

// dirsOf are the job directories of a run that are still there.
func dirsOf(run string, cfg *config.Config) (dirs []string) {
	for _, b := range cfg.Driver.Benchmarks {
		if dir := filepath.Join(run, b.Name); exists(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func jobsIn(dirs []string, cfg *config.Config, where Where) (jobs []Job, err error) {
	for _, dir := range dirs {
		job := Job{Dir: dir, Endpoint: strings.TrimRight(cfg.Otel.Endpoint, "/")}
		if !exists(job.otel()) {
			return nil, mistakef("%s has no directory otel: it is no job directory of this run", dir)
		}
		jobs = append(jobs, job)
	}
	if !where.WithToken {
		return jobs, nil
	}
	token, err := tokenOf(cfg, where)
	if err != nil {
		return nil, err
	}
	var authorities *x509.CertPool
	if file := cfg.Otel.CAFile; file != nil {
		if authorities, err = authority.Load(*file); err != nil {
			return nil, mistakef("otel.ca_file of the run: %w: replay where the file is", err)
		}
	}
	for i := range jobs {
		jobs[i].Token, jobs[i].Authorities = token, authorities
	}
	return jobs, nil
}

// resolve is the directory itself, whatever links lead to it.
func resolve(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", mistakef("%s is not there: name the directory that gym-submit printed", path)
	}
	return dir, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func load(path string, where Where) (*config.Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the run's configuration: %w", err)
	}
	source := []config.Source{{Name: path, Data: data}}
	cfg, err := config.Load(source, nil, where.Config)
	if err == nil && where.Endpoint != "" {
		overrides := []string{"otel.endpoint=" + where.Endpoint}
		if cfg.Otel.CAFile != nil && !strings.HasPrefix(strings.ToLower(where.Endpoint), "https:") {
			overrides = append(overrides, "otel.ca_file=null") // it belongs to the run's own endpoint
		}
		cfg, err = config.Load(source, overrides, where.Config)
		if problems, ok := errors.AsType[config.Problems](err); ok {
			return nil, mistakef("--endpoint: %s (%s)", problems[0].Message, problems[0].Hint)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := cfg.CheckDestinationKeys(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// tokenOf takes the token from the run's file or from this shell, under the rules of a submission.
func tokenOf(cfg *config.Config, where Where) (string, error) {
	name := where.TokenEnv
	if name == "" && cfg.Otel.UsesFile() {
		token, err := tokenfile.Read(*cfg.Otel.TokenFile)
		if err != nil {
			return "", mistakef("otel.token_file of the run: %w; or name a variable of this shell with --token-env", err)
		}
		return token, nil
	}
	if name == "" {
		name = cfg.Otel.TokenEnv
	}
	if complaint := config.ComplaintOf(name, where.Config); complaint != "" {
		return "", mistakef("%s: export %s in this shell, with a token for the endpoint", complaint, name)
	}
	lookup := where.Config.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	token, _ := lookup(name)
	return token, nil
}
