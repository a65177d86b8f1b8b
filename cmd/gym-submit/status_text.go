// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

// statusText is the tables that status, wait and cancel print.
func statusText(runs []status.Run, p paint) string {
	var out strings.Builder
	for i, r := range runs {
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s on %s, submitted %s: %s\n", r.GymJobID, r.Cluster, when(r.SubmittedAt), p.state(r.State))
		benchmarksText(&out, r, p)
		nextText(&out, r)
	}
	return out.String()
}

// nextText says what to do about what went wrong; of very many, with the first of them as examples.
func nextText(out *strings.Builder, r status.Run) {
	const enough = 10
	said, more, failed := 0, 0, 0
	for _, j := range r.Benchmarks {
		if j.State == status.Failed {
			failed++
		}
		switch {
		case j.Next == "":
		case said == enough:
			more++
		default:
			said++
			fmt.Fprintf(out, "next for %s: %s\n", j.Benchmark, j.Next)
		}
	}
	if more > 0 {
		fmt.Fprintf(out, "next for %d more: gym-submit status %s --json has it\n", more, r.GymJobID)
	}
	if failed > 1 {
		fmt.Fprintf(out, "to run all %d that failed once more: gym-submit resubmit %s --failed\n", failed, r.GymJobID)
	}
}

func benchmarksText(out *strings.Builder, r status.Run, p paint) {
	// Only a run with a collector has something to deliver.
	delivers := slices.ContainsFunc(r.Benchmarks, func(j status.Job) bool { return j.Delivery != nil })
	cells := []string{"BENCHMARK", "JOB", p.plain("STATE"), "CODE", "TIME", "WHY"}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(delivered string) {
		if delivers {
			cells = slices.Insert(cells, 5, delivered)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	row("DELIVERED")
	for _, j := range r.Benchmarks {
		cells = []string{j.Benchmark, orDash(j.JobID), p.state(j.State), codeOf(j), timeOf(j), whyOf(j)}
		row(deliveredOf(j))
	}
	_ = table.Flush() // into memory
}

func whyOf(j status.Job) string {
	why := strings.Join(strings.Fields(j.Why), " ")
	if p := j.Progress; p != nil {
		why += fmt.Sprintf(": requests finished %d", p.RequestsFinished)
		if p.TokensPerSecond != nil {
			why += fmt.Sprintf(", %.0f tokens/s", *p.TokensPerSecond)
		}
		why += " at " + p.AsOf.Local().Format(time.TimeOnly)
	}
	if j.Left != "" {
		why += ", " + j.Left + " left"
	}
	if j.ExpectedStart != "" {
		why += ", expected to start " + j.ExpectedStart
	}
	if j.ExpectedNodes != "" {
		why += " on " + j.ExpectedNodes
	}
	return why
}

// deliveredOf says how much of a job's telemetry the backend has.
func deliveredOf(j status.Job) string {
	switch d := j.Delivery; {
	case d == nil:
		return "-"
	case d.Complete() && d.Ended:
		return fmt.Sprintf("all (%d)", d.Accepted)
	case j.Over() && !d.Ended: // nobody counted the last of it
		return fmt.Sprintf("%d of %d or more", d.Delivered, d.Accepted)
	default:
		return fmt.Sprintf("%d of %d", d.Delivered, d.Accepted)
	}
}

func codeOf(j status.Job) string {
	if j.ExitCode == nil {
		return "-"
	}
	return strconv.Itoa(*j.ExitCode)
}

func timeOf(j status.Job) string {
	if j.Elapsed == "" {
		return "-"
	}
	return j.Elapsed
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}
