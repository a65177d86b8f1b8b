// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// printResolved prints resolved-config.yaml byte for byte, then each collector.yaml as a
// YAML document of its own.
func printResolved(e *env, plan *run.Plan, asJSON bool) error {
	if asJSON {
		return printResolvedJSON(e, plan)
	}
	out := bytes.NewBuffer(plan.Resolved)
	for _, b := range plan.Benchmarks {
		if b.Collector != nil {
			fmt.Fprintf(out, "---\n# %s\n%s", path.Join(b.Name, run.CollectorName), b.Collector)
		}
	}
	_, err := e.stdout.Write(out.Bytes())
	return err
}

func printResolvedJSON(e *env, plan *run.Plan) error {
	resolved, err := plan.Config.JSON()
	if err != nil {
		return fmt.Errorf("write the resolved config as JSON: %w", err)
	}
	result := struct {
		Config     json.RawMessage `json:"config"`
		Collectors map[string]any  `json:"collectors"`
	}{resolved, map[string]any{}}
	for _, b := range plan.Benchmarks {
		if b.Collector == nil {
			continue
		}
		var document any
		if err := yaml.Unmarshal(b.Collector, &document); err != nil {
			return fmt.Errorf("write %s as JSON: %w", run.CollectorName, err)
		}
		result.Collectors[b.Name] = document
	}
	return printJSON(e, result)
}

// printStaged prints every file that a submission would create.
func printStaged(e *env, plan *run.Plan, asJSON bool) error {
	files := plan.Files()
	if asJSON {
		contents := map[string]string{}
		for _, f := range files {
			contents[f.Path] = string(f.Data)
		}
		return printJSON(e, struct {
			RunDir string            `json:"run_dir"`
			Files  map[string]string `json:"files"`
		}{plan.Dir, contents})
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "Run directory: %s\n", plan.Dir)
	for _, f := range files {
		fmt.Fprintf(&out, "\n==== %s ====\n%s", f.Path, f.Data)
	}
	_, err := e.stdout.Write(out.Bytes())
	return err
}

// printRecord says what became of each benchmark.
func printRecord(e *env, record *run.Record, asJSON bool) error {
	if asJSON {
		data, err := record.JSON()
		if err != nil {
			return fmt.Errorf("write the record as JSON: %w", err)
		}
		_, err = e.stdout.Write(data)
		return err
	}
	_, err := io.WriteString(e.stdout, recordText(record))
	return err
}

func recordText(record *run.Record) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Run directory: %s\n", record.RunDir)
	for _, b := range record.Benchmarks {
		switch {
		case b.Error != nil:
			fmt.Fprintf(&out, "failed %s: %s\n", b.Benchmark, *b.Error)
		case b.ExitCode != nil:
			fmt.Fprintf(&out, "ended %s (%s) with code %d\n", b.Benchmark, *b.JobID, *b.ExitCode)
		default:
			fmt.Fprintf(&out, "submitted %s → Slurm job %s\n", b.Benchmark, *b.JobID)
		}
	}
	return out.String()
}

func printJSON(e *env, value any) error {
	encoder := json.NewEncoder(e.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
