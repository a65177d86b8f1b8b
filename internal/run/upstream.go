// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// `gym eval submit` of NeMo Gym keeps the same record under the same name. What differs is the
// job behind it: its script, and a chain of jobs where the record knows the first alone.

// UpstreamIndexDir is where `gym eval submit` lists this user's submissions, empty when there
// is no such place.
func UpstreamIndexDir(getenv func(string) string) string {
	cache := getenv("XDG_CACHE_HOME")
	if cache == "" && getenv("HOME") != "" {
		cache = filepath.Join(getenv("HOME"), ".cache")
	}
	if !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "nemo-gym", "jobs")
}

// ReadUpstream reads one record of that index.
func ReadUpstream(path string) (*Record, error) {
	r, err := Read(path)
	if err != nil {
		return nil, err
	}
	r.upstream = true
	r.followChains()
	return r, nil
}

// Upstream tells whether `gym eval submit` made the run. The record does not say; the job
// scripts do.
func (r *Record) Upstream() bool {
	if r.upstream || r.Executor == config.ComputeLocal {
		return r.upstream
	}
	for _, b := range r.Benchmarks {
		if ours, ok := writtenHere(filepath.Join(b.JobDir, ScriptName)); ok {
			return !ours
		}
	}
	return false
}

// writtenHere tells whether gym-submit wrote a job script; ok is false when nobody can say.
func writtenHere(script string) (ours, ok bool) {
	f, err := os.Open(script)
	if err != nil {
		return false, false
	}
	defer func() { _ = f.Close() }()
	const head = 1 << 16
	text, err := io.ReadAll(io.LimitReader(f, head))
	return bytes.Contains(text, []byte("written by gym-submit ")), err == nil
}

// chainName is the file in which the jobs of a resumable benchmark note their ids, each its own.
const chainName = ".gym_job_chain"

// followChains takes the newest job of each chain for its benchmark's.
func (r *Record) followChains() {
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		chain, err := os.ReadFile(filepath.Join(b.JobDir, chainName))
		if err != nil || b.JobID == nil {
			continue
		}
		ids := strings.Fields(string(chain))
		if n := len(ids); n > 0 && strings.Trim(ids[n-1], "0123456789") == "" {
			b.JobID = &ids[n-1]
		}
	}
}
