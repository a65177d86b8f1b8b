// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package local

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// staged makes job directories with the given scripts, one benchmark each.
func staged(t *testing.T, scripts ...string) *run.Record {
	t.Helper()
	record := &run.Record{}
	for i, script := range scripts {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("b", i))
		if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, run.ScriptName), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		record.Benchmarks = append(record.Benchmarks, run.BenchmarkRecord{Benchmark: fmt.Sprint("b", i), JobDir: dir})
	}
	return record
}

func runner(record *run.Record, out *bytes.Buffer) *Runner {
	return &Runner{Record: record, Output: out, Save: func(*run.Record) error { return nil }}
}

func TestRunOneAfterAnother(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, "echo first", "echo second; exit 7", "echo third; exit 9")
	code, err := runner(record, &out).Run()
	if err != nil || code != 7 {
		t.Errorf("code %d, %v, want 7: the first that is not 0", code, err)
	}
	if got := out.String(); got != "first\nsecond\nthird\n" {
		t.Errorf("printed %q", got)
	}
	for i, want := range []int{0, 7, 9} {
		b := record.Benchmarks[i]
		if *b.ExitCode != want || *b.JobID != fmt.Sprintf("local-%d-%s", *b.ProcessGroup, strings.Split(*b.JobID, "-")[2]) {
			t.Errorf("record %+v, want code %d", b, want)
		}
		if _, err := os.Stat(filepath.Join(b.JobDir, "logs", "job-"+*b.JobID+".log")); err != nil {
			t.Error(err)
		}
	}
}

// The script names itself as the runner names it.
func TestScriptAndRunnerAgreeOnTheID(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, `read -r -a stat <"/proc/$$/stat"; echo "local-$$-${stat[21]}"`)
	if _, err := runner(record, &out).Run(); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out.String()); got != *record.Benchmarks[0].JobID {
		t.Errorf("the script is %s, the record says %s", got, *record.Benchmarks[0].JobID)
	}
}

func TestTokenComesOnDescriptor3(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, `[ "$GYM_TOKEN_FD" = 3 ] && cat <&3`)
	r := runner(record, &out)
	r.token = secret
	if code, err := r.Run(); err != nil || code != 0 || out.String() != secret {
		t.Errorf("the script read %q (code %d, %v)", out.String(), code, err)
	}
}

func TestSignalEndsTheRunningJobAndStartsNoOther(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, `trap 'echo stopped; exit 143' TERM; kill -TERM $PPID; sleep 60 & wait`, "echo never")
	code, err := runner(record, &out).Run()
	if err != nil || code != 143 || out.String() != "stopped\n" {
		t.Errorf("code %d, %v, printed %q", code, err, out.String())
	}
	if e := record.Benchmarks[1].Error; e == nil || !strings.Contains(*e, "interrupted") {
		t.Errorf("the record of the second says %v", e)
	}
}

// A daemon that the job started is ended with it.
func TestOrphansAreKilled(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, `setsid sh -c 'setsid sleep 300 & echo $! >pid; exit' & wait`)
	if _, err := runner(record, &out).Run(); err != nil {
		t.Fatal(err)
	}
	var pid int
	data, err := os.ReadFile(filepath.Join(record.Benchmarks[0].JobDir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(data), &pid); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d outlived the job", pid)
		}
	}
}

func TestExitCodeOfAKilledScript(t *testing.T) {
	var out bytes.Buffer
	if code, err := runner(staged(t, "kill -KILL $$"), &out).Run(); err != nil || code != 137 {
		t.Errorf("code %d, %v, want 137", code, err)
	}
}
