// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// schemaVersion of a record. Within a version fields are only added.
const schemaVersion = 1

// Record says what was submitted: gym-job.json in the job directory, and the same bytes in
// the local index. Its first fields are those of upstream's manifest.
type Record struct {
	GymJobID         string            `json:"gym_job_id"`
	GymVersion       string            `json:"gym_version"`
	GymCommit        *string           `json:"gym_commit"`
	SubmittedAt      string            `json:"submitted_at"` // UTC, to the second
	RunDir           string            `json:"run_dir"`
	Cluster          string            `json:"cluster"`
	Executor         string            `json:"executor"` // slurm or local
	SubmittedBy      string            `json:"submitted_by"`
	Benchmarks       []BenchmarkRecord `json:"benchmarks"`
	Hostname         *string           `json:"hostname"`
	ExecutorMetadata map[string]string `json:"executor_metadata"`
	SchemaVersion    int               `json:"schema_version"`

	// MovedFrom is where the directory was when the run was submitted, empty when it still is there. Scripts of the run
	// name that place.
	MovedFrom string `json:"-"`

	upstream bool // from the index of `gym eval submit`
}

// BenchmarkRecord is one job of a record. JobID is null until it was queued (slurm) or
// started (local); Error says why it never was.
type BenchmarkRecord struct {
	Benchmark string  `json:"benchmark"`
	JobDir    string  `json:"job_dir"`
	JobID     *string `json:"job_id"`
	Error     *string `json:"error"`
	// PreviousJobIDs are those of attempts before the last one, the oldest first.
	PreviousJobIDs []string `json:"previous_job_ids,omitempty"`
	// ProcessGroup and ExitCode are known of local jobs only.
	ProcessGroup *int `json:"process_group,omitempty"`
	ExitCode     *int `json:"exit_code,omitempty"`
}

// MaxParallelKey of a record's executor_metadata is how many of its jobs may run at a time.
const MaxParallelKey = "max_parallel"

// Again makes a benchmark ready for another attempt.
func (b *BenchmarkRecord) Again() {
	if b.JobID != nil {
		b.PreviousJobIDs = append(b.PreviousJobIDs, *b.JobID)
	}
	b.JobID, b.Error, b.ProcessGroup, b.ExitCode = nil, nil, nil, nil
}

// NewRecord describes a plan before anything was queued.
func NewRecord(p *Plan, by Submitter, now time.Time) *Record {
	cluster := p.Config.Compute[0]
	r := &Record{
		GymJobID:         p.ID,
		GymVersion:       version.Version,
		SubmittedAt:      now.UTC().Format(time.RFC3339),
		RunDir:           p.Dir,
		Cluster:          cluster.Name,
		Executor:         cluster.Value.Type,
		SubmittedBy:      by.User,
		ExecutorMetadata: map[string]string{},
		SchemaVersion:    schemaVersion,
	}
	if version.Commit != "" {
		r.GymCommit = &version.Commit
	}
	if cluster.Value.Hostname != "" {
		r.Hostname = &cluster.Value.Hostname
	}
	for _, b := range p.Benchmarks {
		r.Benchmarks = append(r.Benchmarks, BenchmarkRecord{Benchmark: b.Name, JobDir: b.Dir})
	}
	return r
}

// NotKnown begins the Error of a benchmark whose sbatch nobody heard the end of.
const NotKnown = "it is not known whether it was queued: "

// Failed returns the names of the benchmarks that were never queued or started.
func (r *Record) Failed() []string {
	var names []string
	for _, b := range r.Benchmarks {
		if b.JobID == nil {
			names = append(names, b.Benchmark)
		}
	}
	return names
}

// JSON is the record as it is stored and printed.
func (r *Record) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// Save writes the record into the job directory and into the local index, each whatever becomes
// of the other. The first must succeed; a user without a writable home still gets a job.
func (r *Record) Save(ctx context.Context, h host.Host, indexDir string) (indexErr, err error) {
	data, err := r.JSON()
	if err != nil {
		return nil, fmt.Errorf("write the record: %w", err)
	}
	if err = h.Write(ctx, filepath.Join(r.RunDir, RecordName), data, 0o644); err != nil {
		err = fmt.Errorf("write the record: %w", err)
	}
	return r.saveIndex(ctx, data, indexDir), err
}

// SaveIndex is Save for the local index alone.
func (r *Record) SaveIndex(ctx context.Context, indexDir string) error {
	data, err := r.JSON()
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return r.saveIndex(ctx, data, indexDir)
}

func (r *Record) saveIndex(ctx context.Context, data []byte, indexDir string) error {
	if indexDir == "" {
		return errNoIndex
	}
	err := os.MkdirAll(indexDir, 0o700)
	if err == nil {
		err = host.Local{}.Write(ctx, filepath.Join(indexDir, r.GymJobID+".json"), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the local index: %w", err)
	}
	return nil
}

// HostKey is the key of executor_metadata for what the machine calls itself: ids of processes
// mean nothing elsewhere, and the name that ssh knows a machine by may be unknown there.
const HostKey = "host"

// Machine names the machine that the run is on, empty when that is this one.
func (r *Record) Machine() string {
	node := r.ExecutorMetadata[HostKey]
	switch {
	case node != "" && host.IsHere(node):
		return ""
	case r.Executor == config.ComputeLocal && node != "":
		return node
	case r.Hostname != nil && !host.IsHere(*r.Hostname):
		return *r.Hostname
	}
	return ""
}

// Open reads the record of a job directory on this machine.
func Open(dir string) (*Record, error) { return OpenOn(context.Background(), host.Local{}, dir) }

// OpenOn reads the record of a job directory.
func OpenOn(ctx context.Context, h host.Host, dir string) (*Record, error) {
	r, err := read(ctx, h, filepath.Join(dir, RecordName))
	if err == nil && h.Name() == "" {
		if _, copied := h.(host.Archive); !copied {
			r.followMove(dir)
		}
		r.followChains()
	}
	return r, err
}

// followMove takes the paths from where the record was found, when the place that it names is gone.
func (r *Record) followMove(dir string) {
	dir, err := filepath.Abs(dir)
	if _, there := os.Lstat(r.RunDir); err != nil || dir == r.RunDir || !errors.Is(there, fs.ErrNotExist) || r.Machine() != "" {
		return
	}
	r.MovedFrom, r.RunDir = r.RunDir, dir
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		if below, err := filepath.Rel(r.MovedFrom, b.JobDir); err == nil && filepath.IsLocal(below) {
			b.JobDir = filepath.Join(dir, below)
		}
	}
}

// Read reads one record of the index.
func Read(path string) (*Record, error) { return read(context.Background(), host.Local{}, path) }

func read(ctx context.Context, h host.Host, path string) (*Record, error) {
	data, err := host.ReadFile(ctx, h, path)
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read the record %s: %w", path, err)
	}
	switch {
	case r.SchemaVersion < 1:
		return nil, fmt.Errorf("read the record %s: it has no schema_version", path)
	case r.SchemaVersion > schemaVersion:
		return nil, fmt.Errorf("read the record %s: it was written by a newer gym-submit (schema_version %d, this one knows %d)",
			path, r.SchemaVersion, schemaVersion)
	}
	return &r, nil
}

var errNoIndex = errors.New("no local index: neither XDG_STATE_HOME nor HOME is set")

// IndexDir is where this user's submissions from this machine are listed:
// $XDG_STATE_HOME/gym-submit/jobs, else ~/.local/state/gym-submit/jobs.
func IndexDir(getenv func(string) string) (string, error) {
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "gym-submit", "jobs"), nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", errNoIndex
	}
	return filepath.Join(home, ".local", "state", "gym-submit", "jobs"), nil
}
