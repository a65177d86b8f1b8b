// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the scripts compare with anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gym-submit": main})
}

// TestScripts runs the commands as users type them, with doubles of Slurm's commands that
// note what they were given.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(condition string) (bool, error) {
			path, ok := strings.CutPrefix(condition, "file:")
			if !ok {
				return false, fmt.Errorf("no such condition: %s", condition)
			}
			_, err := os.Stat(path)
			return err == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			e.Setenv("USER", "alice")
			return nil
		},
	})
}

// Users meet the start-up of this program at every completion of a word.
func BenchmarkStartUp(b *testing.B) {
	program := filepath.Join(b.TempDir(), "gym-submit")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	truth, err := exec.LookPath("true")
	if err != nil {
		b.Skip("no true(1) to compare with")
	}
	for name, argv := range map[string][]string{
		"version":  {program, "version"},
		"validate": {program, "validate", "-c", "../../internal/run/testdata/files/1-host-processes.yaml"},
		"resolve":  {program, "--resolve-only", "-c", "../../internal/run/testdata/files/1-host-processes.yaml"},
		"true(1)":  {truth},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
}

// The command line must not drag the collector in. To read what the collector wrote takes pdata, and what that
// needs itself.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := regexp.MustCompile(`^go\.opentelemetry\.io/collector/(featuregate|pdata/(pcommon|plog|pmetric|ptrace|internal(/.*)?))$`)
	for dependency := range strings.FieldsSeq(string(out)) {
		for _, forbidden := range []string{"go.opentelemetry.io/", "github.com/prometheus/", "google.golang.org/grpc"} {
			if strings.HasPrefix(dependency, forbidden) && !allowed.MatchString(dependency) {
				t.Errorf("gym-submit depends on %s", dependency)
			}
		}
	}
}
