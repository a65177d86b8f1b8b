// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

func newFetchCommand(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "fetch [ID] [BENCHMARK] [--json]",
		Short: "Copy the files of a run on another machine to this one",
		Long: `Copies the logs, otel and artifacts directories of a run on another machine to
$XDG_STATE_HOME/gym-submit/fetched/<id> ($XDG_STATE_HOME defaults to ~/.local/state) and
prints that directory. Running it again copies only what is new. A file that is newer here
is kept, for example the delivery.json of a replayed copy. Symbolic links are skipped.

Once the whole run has ended and been fetched, status, info, logs and wait read the copy and
no longer contact the other machine. replay also works on the copy if you give its directory;
the delivery.json on the other machine is not updated.

` + idsHelp,
		Example: `  gym-submit fetch
  gym-submit fetch c0ffee gpqa
  gym-submit replay $(gym-submit fetch c0ffee)`,
		Args:              atMost(2),
		ValidArgsFunction: completeSelection(e, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := e.selection(args)
			switch {
			case err != nil:
				return err
			case len(s.Rest) > 0:
				return usageError{fmt.Errorf("fetch brings a run or one benchmark: %q is one word too many", s.Rest[0])}
			}
			return fetch(cmd.Context(), e, s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was fetched as JSON")
	return cmd
}

// fetchResult is what --json prints.
type fetchResult struct {
	GymJobID  string `json:"gym_job_id"`
	From      string `json:"from"`
	Directory string `json:"directory"`
	// Ended is whether all of the run had ended, so that the copy stands for it.
	Ended bool `json:"ended"`
	host.Fetched
}

func fetch(ctx context.Context, e *env, s history.Selection, asJSON bool) error {
	remote, isRemote := e.hosts.Of(s.Record.Machine()).(*host.Remote)
	if err := here(s.Record, "fetch"); err != nil {
		return err
	}
	if !isRemote {
		return fmt.Errorf("%s is on this machine: its files are in %s", s.Record.GymJobID, s.Record.RunDir)
	}
	to, err := e.fetchedDir(s.Record)
	if err != nil {
		return err
	}
	// What is asked now is the machine and not an earlier copy.
	if err := os.Remove(filepath.Join(to, archiveName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("fetch %s: %w", s.Record.GymJobID, err)
	}
	record := e.freshOf(ctx, s.Record)
	runs := observe(ctx, e, []*run.Record{record})
	if err := reachable(runs); err != nil {
		return err
	}
	result := fetchResult{GymJobID: record.GymJobID, From: remote.Name() + ":" + record.RunDir, Directory: to, Ended: runs[0].Over()}
	for _, b := range record.Benchmarks {
		if s.Benchmark != nil && s.Benchmark.Benchmark != b.Benchmark {
			continue
		}
		got, err := remote.Fetch(ctx, b.JobDir, filepath.Join(to, b.Benchmark))
		if err != nil {
			return fmt.Errorf("fetch %s of %s: %w\nWhat has come so far is in %s; the same command goes on", b.Benchmark, record.GymJobID, err, to)
		}
		e.talk("%s: %d files, %.1f MB; %d were here already", b.Benchmark, got.Files, float64(got.Bytes)/1e6, got.Same+got.Newer)
		result.Add(got)
	}
	if err := fetchRecord(ctx, remote, record, to); err != nil {
		return fmt.Errorf("fetch %s: %w", record.GymJobID, err)
	}
	if result.Ended && s.Benchmark == nil {
		if err := writeArchive(ctx, record, to); err != nil {
			return fmt.Errorf("fetch %s: %w", record.GymJobID, err)
		}
	}
	if asJSON {
		return printJSON(e, result)
	}
	fmt.Fprintln(e.stdout, to)
	return nil
}

// fetchRecord brings the two files beside the benchmarks' directories.
func fetchRecord(ctx context.Context, remote *host.Remote, record *run.Record, to string) error {
	for _, name := range []string{run.RecordName, run.ResolvedName} {
		err := remote.FetchFile(ctx, filepath.Join(record.RunDir, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// archiveName is the file in a copy that says of which jobs it is all there is.
const archiveName = "fetched.json"

// jobsOf tells a run's attempts apart: a resubmission makes new ids.
func jobsOf(r *run.Record) map[string]string {
	jobs := map[string]string{}
	for _, b := range r.Benchmarks {
		if b.JobID != nil {
			jobs[b.Benchmark] = *b.JobID
		}
	}
	return jobs
}

func writeArchive(ctx context.Context, record *run.Record, to string) error {
	data, err := json.Marshal(jobsOf(record))
	if err != nil {
		return err
	}
	return host.Local{}.Write(ctx, filepath.Join(to, archiveName), append(data, '\n'), 0o600)
}

// fetchedCopy is the copy of a run, if it stands for the run.
func (e *env) fetchedCopy(r *run.Record) (host.Archive, bool) {
	if r.Machine() == "" {
		return host.Archive{}, false
	}
	dir, err := e.fetchedDir(r)
	if err != nil {
		return host.Archive{}, false
	}
	var jobs map[string]string
	data, err := os.ReadFile(filepath.Join(dir, archiveName))
	if err != nil || json.Unmarshal(data, &jobs) != nil {
		return host.Archive{}, false
	}
	for benchmark, job := range jobsOf(r) { // the record may speak of one benchmark alone
		if jobs[benchmark] != job {
			return host.Archive{}, false
		}
	}
	return host.Archive{Of: r.Machine(), From: r.RunDir, To: dir}, true
}

// fetchedDir is beside the index. A record may be somebody else's, and names are parts of paths here.
func (e *env) fetchedDir(r *run.Record) (string, error) {
	for _, name := range append([]string{r.GymJobID}, benchmarksOf(r)...) {
		if name == "" || !filepath.IsLocal(name) || filepath.Base(name) != name {
			return "", fmt.Errorf("fetch %s: %q in its record is no name of a directory", r.RunDir, name)
		}
	}
	index, err := run.IndexDir(e.getenv)
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", r.GymJobID, err)
	}
	return filepath.Join(filepath.Dir(index), "fetched", r.GymJobID), nil
}
