// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// runInfo is where everything of a run is.
type runInfo struct {
	GymJobID    string          `json:"gym_job_id"`
	SubmittedAt string          `json:"submitted_at"`
	SubmittedBy string          `json:"submitted_by"`
	Cluster     string          `json:"cluster"`
	Executor    string          `json:"executor"`
	RunDir      string          `json:"run_dir"`
	Benchmarks  []benchmarkInfo `json:"benchmarks"`
}

type benchmarkInfo struct {
	Benchmark string     `json:"benchmark"`
	JobID     *string    `json:"job_id"`
	Previous  []string   `json:"previous_job_ids,omitempty"`
	Error     *string    `json:"error"`
	JobDir    string     `json:"job_dir"`
	Logs      []fileInfo `json:"logs"`
	Otel      []fileInfo `json:"otel"`
}

type fileInfo struct {
	// Step is the step whose log it is.
	Step string `json:"step,omitempty"`
	Path string `json:"path"`
	Size int64  `json:"size"`
}

func newInfoCommand(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info [ID] [BENCHMARK] [--json]",
		Short: "Show where the files of a run are",
		Long: `Prints the directories of a run and, for each job, its id, its logs and its exported files
with their sizes. Does not contact the scheduler.

` + idsHelp,
		Example: `  gym-submit info
  gym-submit info c0ffee gpqa --json`,
		Args:              atMost(2),
		ValidArgsFunction: completeSelection(e, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := e.selection(args)
			switch {
			case err != nil:
				return err
			case len(s.Rest) > 0:
				return usageError{fmt.Errorf("info speaks of a run or of one benchmark: %q is one word too many", s.Rest[0])}
			}
			return info(cmd.Context(), e, s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func info(ctx context.Context, e *env, s history.Selection, asJSON bool) error {
	r := e.freshOf(ctx, s.Record)
	h := e.hostOf(r)
	missing, err := h.Missing(ctx, []string{r.RunDir}, nil)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		where := "it was removed, or is on another machine's disk"
		if err := here(r, "info"); err != nil {
			where = err.Error()
		}
		e.talk("warning: the run directory does not exist: %s", where)
	}
	i := runInfo{r.GymJobID, r.SubmittedAt, r.SubmittedBy, r.Cluster, r.Executor, r.RunDir, nil}
	for _, b := range r.Benchmarks {
		if s.Benchmark == nil || s.Benchmark.Benchmark == b.Benchmark {
			i.Benchmarks = append(i.Benchmarks, filesOf(ctx, h, b))
		}
	}
	if asJSON {
		return printJSON(e, i)
	}
	return printInfo(e, i)
}

func filesOf(ctx context.Context, h host.Host, b run.BenchmarkRecord) benchmarkInfo {
	i := benchmarkInfo{b.Benchmark, b.JobID, b.PreviousJobIDs, b.Error, b.JobDir, []fileInfo{}, []fileInfo{}}
	if b.JobID != nil {
		logs, _ := joblog.Logs(ctx, h, b.JobDir, *b.JobID) // nothing was written, or nothing that we may read
		for _, l := range logs {
			i.Logs = append(i.Logs, fileInfo{l.Step, joblog.Path(b.JobDir, l.Step, *b.JobID), l.Size})
		}
	}
	files, _ := h.List(ctx, filepath.Join(b.JobDir, "otel")) // not there, or for its owner's eyes
	for _, f := range files {
		if f.Mode.IsRegular() {
			i.Otel = append(i.Otel, fileInfo{"", filepath.Join(b.JobDir, "otel", f.Name), f.Size})
		}
	}
	return i
}

func printInfo(e *env, i runInfo) error {
	out := e.table()
	fmt.Fprintf(out, "run\t%s\n", i.GymJobID)
	fmt.Fprintf(out, "submitted\t%s by %s, to %s (%s)\n", when(i.SubmittedAt), i.SubmittedBy, i.Cluster, i.Executor)
	fmt.Fprintf(out, "directory\t%s\n", i.RunDir)
	for _, b := range i.Benchmarks {
		fmt.Fprintf(out, "\nbenchmark\t%s\n", b.Benchmark)
		if b.JobID != nil {
			fmt.Fprintf(out, "job\t%s\n", *b.JobID)
		}
		if len(b.Previous) > 0 {
			fmt.Fprintf(out, "earlier jobs\t%s\n", strings.Join(b.Previous, ", "))
		}
		if b.Error != nil {
			fmt.Fprintf(out, "error\t%s\n", *b.Error)
		}
		fmt.Fprintf(out, "directory\t%s\n", b.JobDir)
		for _, f := range b.Logs {
			fmt.Fprintf(out, "log of %s\t%s (%s)\n", f.Step, f.Path, sized(f.Size))
		}
		for _, f := range b.Otel {
			fmt.Fprintf(out, "exported\t%s (%s)\n", f.Path, sized(f.Size))
		}
	}
	return out.Flush()
}

// sized writes a size for people.
func sized(bytes int64) string {
	const step = 1024
	if bytes < step {
		return fmt.Sprintf("%d B", bytes)
	}
	value, unit := float64(bytes)/step, 0
	for units := "KMGTP"; value >= step && unit < len(units)-1; unit++ {
		value /= step
	}
	return fmt.Sprintf("%.1f %ciB", value, "KMGTP"[unit])
}
