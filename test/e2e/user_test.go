// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const ordinaryUser = "nobody"

// belongsTo moves a fixture into the directory of an ordinary user of its cluster.
func (f *fixture) belongsTo(t *testing.T, user string, at *slurmSite) {
	t.Helper()
	dir, err := at.cluster.UserDir(user)
	if err != nil {
		t.Fatal(err)
	}
	f.dir, f.pages = dir, filepath.Join(dir, "pages.jsonl")
	f.Engine["ENGINE_PAGE_LOG"] = f.pages
}

// runAs is run for a fixture that belongs to somebody.
func (f *fixture) runAs(t *testing.T, user string, at *slurmSite, args ...string) result {
	t.Helper()
	file := f.file(t)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "gym-submit"), append([]string{"-c", file}, args...)...)
	cmd.Env = append(append(testEnviron(), at.environ()...), "OTEL_TOKEN="+token, "XDG_STATE_HOME="+filepath.Join(f.dir, "state"))
	if err := at.cluster.As(user, cmd); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var r result
	r.dir, r.job = f.record(t)
	t.Cleanup(func() {
		if t.Failed() {
			f.showLogs(t, r.dir)
		}
	})
	r.codes = map[string]int{"gpqa": at.cluster.Wait(t, r.job, time.Minute).ExitCode}
	return r
}

// searchesForTheToken makes a fixture's driver look into all processes, and returns where it notes
// what it found.
func (f *fixture) searchesForTheToken(t *testing.T) (found string) {
	t.Helper()
	found, needleFile := filepath.Join(f.dir, "found"), filepath.Join(f.dir, "needle")
	if err := os.WriteFile(needleFile, []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	f.Command = "driver --engine http://localhost:8000 --model tiny --duration 3s --scan-proc " + found + " --needle-file " + needleFile
	return found
}

func findsNoToken(t *testing.T, found string, r result) {
	t.Helper()
	if r.codes["gpqa"] != 0 {
		t.Errorf("the job ended with code %d", r.codes["gpqa"])
	}
	if hits := strings.TrimSpace(readFile(t, found)); hits != "" {
		t.Errorf("the driver found the token: %s", hits)
	}
	scannedProcesses(t, r)
}

// An ordinary user's driver finds the token in no process at all, the collector included:
// it shares the user's uid, but the collector cannot be looked into.
func TestOrdinaryUserFindsNoToken(t *testing.T) {
	at := newSlurmSite(t)
	f := newFixture(t, at)
	f.belongsTo(t, ordinaryUser, at)
	found := f.searchesForTheToken(t)
	findsNoToken(t, found, f.runAs(t, ordinaryUser, at))
	tenantEverywhere(t, f)
}
