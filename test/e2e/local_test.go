// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// localSite runs the job under gym-submit itself, in the foreground.
type localSite struct{}

func (*localSite) compute(walltime string) string {
	if walltime != "" {
		return fmt.Sprintf("    type: local\n    walltime: %q\n", walltime)
	}
	return "    type: local\n"
}

func (*localSite) environ() []string { return nil }

func (*localSite) wait(t *testing.T, s *submitted) map[string]int {
	t.Helper()
	code := s.exit(t)
	if code == 2 {
		t.Fatalf("gym-submit refused: %s", s.stderr.String())
	}
	return map[string]int{"gpqa": code}
}

func (*localSite) stop(t *testing.T, s *submitted, signal syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// showsNothing: there is no scheduler that could.
func (*localSite) showsNothing(*testing.T, string, string) {}

// idle looks for processes of the test's programs. They are known by their directory, which
// no other process on the machine has.
func (*localSite) idle(t *testing.T) {
	t.Helper()
	wait.For(t, 5*time.Second, func() error {
		if left := running(programs); len(left) > 0 {
			return fmt.Errorf("still running: %s", strings.Join(left, ", "))
		}
		return nil
	})
}

// running lists the processes whose executable lies below dir.
func running(dir string) []string {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	var found []string
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, dir+"/") {
			found = append(found, link+" -> "+target)
		}
	}
	return found
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// resource is the attributes of one OTLP JSON resource, each with the type of its value.
type resource struct {
	Attributes []struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	} `json:"attributes"`
}

// resources reads the resources of one batch of any signal.
func resources(t *testing.T, batch string) []resource {
	t.Helper()
	type part struct {
		Resource resource `json:"resource"`
	}
	var b struct {
		Metrics []part `json:"resourceMetrics"`
		Traces  []part `json:"resourceSpans"`
		Logs    []part `json:"resourceLogs"`
	}
	if err := json.Unmarshal([]byte(batch), &b); err != nil {
		t.Fatalf("not a batch of OTLP JSON: %v\n%.200s", err, batch)
	}
	var all []resource
	for _, p := range slices.Concat(b.Metrics, b.Traces, b.Logs) {
		all = append(all, p.Resource)
	}
	return all
}
