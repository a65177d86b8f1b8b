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

// An ordinary user's driver finds the token in no process at all, the collector included:
// it shares the user's uid, but the collector cannot be looked into.
func TestOrdinaryUserFindsNoToken(t *testing.T) {
	at := newSlurmSite(t)
	dir, err := at.cluster.UserDir("nobody")
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, at)
	f.dir, f.pages = dir, filepath.Join(dir, "pages.jsonl")
	f.Engine["ENGINE_PAGE_LOG"] = f.pages
	found, needleFile := filepath.Join(dir, "found"), filepath.Join(dir, "needle")
	if err := os.WriteFile(needleFile, []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	f.Command = "driver --engine http://localhost:8000 --model tiny --duration 3s --scan-proc " + found + " --needle-file " + needleFile
	file := f.file(t)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "gym-submit"), "-c", file)
	cmd.Env = append(append(testEnviron(), at.environ()...), "OTEL_TOKEN="+token, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	if err := at.cluster.As("nobody", cmd); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var r result
	r.dir, r.job = f.record(t)
	if job := at.cluster.Wait(t, r.job, time.Minute); job.ExitCode != 0 {
		t.Errorf("the job ended with code %d", job.ExitCode)
	}
	if hits := strings.TrimSpace(readFile(t, found)); hits != "" {
		t.Errorf("the driver found the token: %s", hits)
	}
	scannedProcesses(t, r)
	tenantEverywhere(t, f)
}
