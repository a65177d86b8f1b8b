// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// aTrace is any word of the collector.
var aTrace = regexp.MustCompile(`(?i)otel|collector|13133|token`)

func TestWithoutACollector(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		t.Run("disabled", func(t *testing.T) {
			f := newFixture(t, at)
			f.Otel = map[string]string{"enabled": "false"}
			r := f.run(t)
			if r.codes["gpqa"] != 7 {
				t.Errorf("exit code %d, want 7\n%s", r.codes["gpqa"], r.log)
			}
			noTrace(t, f, r)
		})
		t.Run("no model service", func(t *testing.T) {
			f := newFixture(t, at)
			f.Command = "env | grep -q TEL_TO || exit 7" // though the shell that submits has the token
			f.Env = append(f.Env, "OTEL_TOKEN="+token)
			f.NoService = true
			r := f.run(t)
			if r.codes["gpqa"] != 7 {
				t.Errorf("exit code %d, want 7\n%s", r.codes["gpqa"], r.log)
			}
			noTrace(t, f, r)
		})
	})
}

func noTrace(t *testing.T, f *fixture, r result) {
	t.Helper()
	script := readFile(t, filepath.Join(r.dir, "job.sh"))
	if found := aTrace.FindString(strings.ReplaceAll(script, f.dir, "")); found != "" {
		t.Errorf("job.sh says %q:\n%s", found, script)
	}
	for _, name := range []string{"otel", "logs/otel_collector-" + r.job + ".log"} {
		if _, err := os.Stat(filepath.Join(r.dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s exists (%v)", name, err)
		}
	}
}

func TestWithoutNodeExporters(t *testing.T) {
	f := newFixture(t, &localSite{}) // both ports are null there
	r := f.run(t)
	rendered := readFile(t, filepath.Join(r.dir, "otel", "collector.yaml"))
	if strings.Contains(rendered, "job: dcgm") || strings.Contains(rendered, "job: node") {
		t.Errorf("a scrape target is left:\n%s", rendered)
	}
	if got := strings.Count(rendered, "- targets:"); got != 1 {
		t.Errorf("%d scrape targets, want the engine alone:\n%s", got, rendered)
	}
}
