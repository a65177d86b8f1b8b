// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

const module = "github.com/gym-otelcol/gym-otelcol/"

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name    string
		events  []string
		want    []string
		without []string
		ok      bool
	}{
		{
			name: "what passes is one line",
			events: []string{
				`{"Action":"start","Package":"` + module + `internal/a"}`,
				`{"Action":"output","Package":"` + module + `internal/a","Test":"TestA","Output":"chatter\n"}`,
				`{"Action":"pass","Package":"` + module + `internal/a","Test":"TestA","Elapsed":0.1}`,
				`{"Action":"pass","Package":"` + module + `internal/a","Elapsed":0.2}`,
			},
			want:    []string{"ok    internal/a", "1 passed, 0 failed, 0 skipped"},
			without: []string{"chatter", "skipped, so"},
			ok:      true,
		},
		{
			name: "a skipped test is named with its reason",
			events: []string{
				`{"Action":"output","Package":"` + module + `test/e2e","Test":"TestSlurm","Output":"=== RUN   TestSlurm\n"}`,
				`{"Action":"output","Package":"` + module + `test/e2e","Test":"TestSlurm","Output":"    e2e_test.go:12: slurmctld: not installed\n"}`,
				`{"Action":"output","Package":"` + module + `test/e2e","Test":"TestSlurm","Output":"--- SKIP: TestSlurm (0.00s)\n"}`,
				`{"Action":"skip","Package":"` + module + `test/e2e","Test":"TestSlurm"}`,
				`{"Action":"pass","Package":"` + module + `test/e2e"}`,
			},
			want: []string{"TestSlurm (test/e2e): slurmctld: not installed\n", "1 skipped"},
			ok:   true,
		},
		{
			name: "what fails is shown",
			events: []string{
				`{"Action":"output","Package":"` + module + `internal/a","Test":"TestA","Output":"    a_test.go:3: got 1, want 2\n"}`,
				`{"Action":"fail","Package":"` + module + `internal/a","Test":"TestA"}`,
				`{"Action":"output","Package":"` + module + `internal/a","Output":"FAIL\n"}`,
				`{"Action":"fail","Package":"` + module + `internal/a"}`,
			},
			want: []string{"got 1, want 2", "FAILED: internal/a"},
		},
		{
			name: "a test that never ended is shown",
			events: []string{
				`{"Action":"output","Package":"` + module + `internal/a","Test":"TestHangs","Output":"panic: test timed out\n"}`,
				`{"Action":"fail","Package":"` + module + `internal/a"}`,
			},
			want: []string{"panic: test timed out", "FAILED: internal/a"},
		},
		{
			name: "a package that does not compile is shown",
			events: []string{
				`{"Action":"build-output","ImportPath":"` + module + `internal/a","Output":"a.go:3:1: syntax error\n"}`,
				`{"Action":"build-fail","ImportPath":"` + module + `internal/a"}`,
				`{"Action":"fail","Package":"` + module + `internal/a","FailedBuild":"` + module + `internal/a"}`,
			},
			want: []string{"a.go:3:1: syntax error", "FAILED: internal/a"},
		},
		{
			name: "no test at all is no success",
			events: []string{
				"go: some trouble",
				`{"Action":"skip","Package":"` + module + `internal/a"}`,
			},
			want: []string{"go: some trouble\n", "FAILED: no test ran"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			if err := r.read(strings.NewReader(strings.Join(tt.events, "\n") + "\n")); err != nil {
				t.Fatal(err)
			}
			if got := r.summary(); got != tt.ok {
				t.Errorf("summary says %t, want %t", got, tt.ok)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is missing in:\n%s", want, &out)
				}
			}
			for _, without := range tt.without {
				if strings.Contains(out.String(), without) {
					t.Errorf("%q should not be in:\n%s", without, &out)
				}
			}
		})
	}
}
