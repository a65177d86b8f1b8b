// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/series"
)

// interesting is what the demo shows of the engine's final counters.
var interesting = []string{
	"vllm_request_success_total", "vllm_prompt_tokens_total", "vllm_generation_tokens_total",
	"vllm_time_to_first_token_seconds_count", "vllm_num_requests_running",
}

// show prints what is in the files and what reached the backend.
func show(out io.Writer, dir string, backend *ingest.Server) error {
	fmt.Fprintln(out, "\nWhat was exported:")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  SIGNAL\tBATCHES ON DISK\tREQUESTS AT THE BACKEND\tFILE")
	for _, signal := range []ingest.Signal{ingest.Metrics, ingest.Traces, ingest.Logs} {
		path := filepath.Join(dir, "otel", string(signal)+".jsonl")
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "  %s\t%d\t%d\t%s\n", signal, bytes.Count(data, []byte("\n")), len(backend.RequestsOf(signal)), path)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	identity := pcommon.NewMap()
	final := series.FromOTLP(backend.Metrics(), func(attributes pcommon.Map) bool {
		name, _ := attributes.Get("service.name.override")
		if name.Str() != "gym-vllm/policy" {
			return false
		}
		attributes.CopyTo(identity)
		return true
	})
	showIdentity(out, identity)
	showFinal(out, final)
	fmt.Fprintf(out, "\nThe collector's configuration, the job script and all logs: %s\n", dir)
	return nil
}

func showIdentity(out io.Writer, attributes pcommon.Map) {
	fmt.Fprintln(out, "\nThe identity on every batch, here of the engine's metrics:")
	for _, key := range slices.Sorted(maps.Keys(attributes.AsRaw())) {
		if key != "Authorization" { // at the backend alone, and a secret there too
			value, _ := attributes.Get(key)
			fmt.Fprintf(out, "  %-22s %s\n", key, value.AsString())
		}
	}
}

// showFinal prints the engine's last values and the types that they have at the backend.
func showFinal(out io.Writer, final series.Exported) {
	kinds := map[string]int{}
	for _, kind := range final.Types {
		kinds[kind]++
	}
	fmt.Fprintf(out, "\nThe engine's metrics at the backend: %d counters, %d gauges, %d histograms, %d summaries. Final values:\n",
		kinds["counter"], kinds["gauge"], kinds["histogram"], kinds["summary"])
	for _, key := range slices.Sorted(maps.Keys(final.Set)) {
		name, _, _ := strings.Cut(key, "{")
		if slices.Contains(interesting, name) {
			fmt.Fprintf(out, "  %-100s %v\n", key, final.Set[key])
		}
	}
}
