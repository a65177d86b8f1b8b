// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTokenIsNowhereButInTheRequest(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		needleFile := filepath.Join(f.dir, "needle")
		found := filepath.Join(f.dir, "found")
		if err := os.WriteFile(needleFile, []byte(canary), 0o600); err != nil {
			t.Fatal(err)
		}
		f.Command = "driver --engine http://localhost:8000 --model tiny --duration 3s --otlp-http http://localhost:4318" +
			" --scan-proc " + found + " --needle-file " + needleFile
		r := f.run(t)
		if r.codes["gpqa"] != 0 {
			t.Fatalf("exit code %d\n%s", r.codes["gpqa"], r.log)
		}
		tenantEverywhere(t, f)
		scannedProcesses(t, r)
		for line := range strings.SplitSeq(strings.TrimSpace(readFile(t, found)), "\n") {
			// "pid comm kind"; the kernel cuts a name after 15 characters.
			if line != "" && !strings.Contains(line, " gym-otelcol environ") {
				t.Errorf("the driver found the token in a process: %s", line)
			}
		}
		noFileHolds(t, f.dir, canary, needleFile, found)
		at.showsNothing(t, r.job, canary)
	})
}

// scannedProcesses makes sure that the driver did look.
func scannedProcesses(t *testing.T, r result) {
	t.Helper()
	said := strings.Split(strings.TrimSpace(readFile(t, filepath.Join(r.dir, "logs", "driver-"+r.job+".log"))), "\n")
	var summary struct {
		Scan struct{ Rounds, Read int }
	}
	if err := json.Unmarshal([]byte(said[len(said)-1]), &summary); err != nil {
		t.Fatalf("the driver's last line: %v", err)
	}
	if summary.Scan.Rounds < 2 || summary.Scan.Read < 10 {
		t.Errorf("the driver looked at too little: %+v", summary.Scan)
	}
}

// noFileHolds reads every file below dir but the ones that are excepted.
func noFileHolds(t *testing.T, dir, text string, except ...string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if slices.Contains(except, path) {
			return nil
		}
		seen++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 8 {
		t.Errorf("only %d files below %s were read", seen, dir)
	}
}
