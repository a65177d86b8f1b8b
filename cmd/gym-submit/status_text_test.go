// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/status"
)

// Two hundred failures fill no screen twice.
func TestNextOfVeryMany(t *testing.T) {
	for failures, want := range map[int][]string{
		1:   {"next for b0: look"},
		2:   {"next for b0: look", "next for b1: look", "to run all 2 that failed once more: gym-submit resubmit r --failed"},
		200: {"next for b9: look", "next for 190 more: gym-submit status r --json has it", "to run all 200 that failed once more: gym-submit resubmit r --failed"},
	} {
		r := status.Run{GymJobID: "r"}
		for i := range failures {
			r.Benchmarks = append(r.Benchmarks, status.Job{Benchmark: fmt.Sprintf("b%d", i), State: status.Failed, Next: "look"})
		}
		var out strings.Builder
		nextText(&out, r)
		if got := strings.Split(strings.TrimSpace(out.String()), "\n"); strings.Join(got[max(0, len(got)-len(want)):], "\n") != strings.Join(want, "\n") || len(got) > 12 {
			t.Errorf("%d failures:\n%s", failures, out.String())
		}
	}
}
