// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package dashboards tries the shipped dashboards: a job of the built programs sends its
// metrics to real backends, and every query of every panel has to find something there.
package dashboards

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/internal/netns"
)

// programs is the directory with everything that the tests run.
var programs string

// programsVariable hands it to the test inside its own network, where nothing can be
// downloaded.
const programsVariable = "GYM_TEST_DASHBOARD_PROGRAMS"

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if programs = os.Getenv(programsVariable); programs != "" {
		return netns.Run(m.Run)
	}
	dir, err := os.MkdirTemp("", "gym-dashboards-")
	if err == nil {
		defer os.RemoveAll(dir)
		programs = dir
		err = build()
	}
	if err == nil {
		err = os.Setenv(programsVariable, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dashboards:", err)
		return 1
	}
	return netns.Run(m.Run)
}

// build builds the programs, and the backends in modules of their own. All have the flags
// of the Makefile, so that they share what is compiled already.
func build() error {
	for _, p := range []struct{ name, module, source string }{
		{"gym-otelcol", "../../..", "./cmd/gym-otelcol"},
		{"gym-submit", "../../..", "./cmd/gym-submit"},
		{"vllm", "../../..", "./test/engine"},
		{"driver", "../../..", "./test/driver"},
		{"victoria-metrics", "../../backends/victoriametrics", "github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics"},
		{"prometheus", "../../backends/prometheus", "github.com/prometheus/prometheus/cmd/prometheus"},
	} {
		cmd := exec.Command("go", "build", "-C", p.module, "-ldflags", "-s -w", "-o", filepath.Join(programs, p.name), p.source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -tags=remove_all_sd -buildvcs=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", p.name, err, out)
		}
	}
	return nil
}
