// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	code := runner(record, &out).Run()
	if code != 7 {
		t.Errorf("code %d, want 7: the first that is not 0", code)
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
	runner(record, &out).Run()
	if got := strings.TrimSpace(out.String()); got != *record.Benchmarks[0].JobID {
		t.Errorf("the script is %s, the record says %s", got, *record.Benchmarks[0].JobID)
	}
}

func TestTokenComesOnDescriptor3(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, `[ "$GYM_TOKEN_FD" = 3 ] && cat <&3`)
	r := runner(record, &out)
	r.token = secret
	if code := r.Run(); code != 0 || out.String() != secret {
		t.Errorf("the script read %q (code %d)", out.String(), code)
	}
}

func TestSignalEndsTheRunningJobAndStartsNoOther(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, `trap 'echo stopped; exit 143' TERM; kill -TERM $PPID; sleep 60 & wait`, "echo never")
	code := runner(record, &out).Run()
	if code != 143 || out.String() != "stopped\n" {
		t.Errorf("code %d, printed %q", code, out.String())
	}
	if e := record.Benchmarks[1].Error; e == nil || !strings.Contains(*e, "interrupted") {
		t.Errorf("the record of the second says %v", e)
	}
}

// A daemon that the job started is ended with it.
func TestOrphansAreKilled(t *testing.T) {
	var out bytes.Buffer
	record := staged(t, `setsid sh -c 'setsid sleep 300 & echo $! >pid; exit' & wait`)
	runner(record, &out).Run()
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
	if code := runner(staged(t, "kill -KILL $$"), &out).Run(); code != 137 {
		t.Errorf("code %d, want 137", code)
	}
}

// A child that this process had before the jobs is none of theirs.
func TestOwnChildrenAreLeftAlone(t *testing.T) {
	own := exec.Command("sleep", "300")
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = own.Process.Kill()
		_ = own.Wait()
	}()
	var out bytes.Buffer
	runner(staged(t, "true"), &out).Run()
	if err := own.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("a child that is not the job's was killed: %v", err)
	}
}

// A record that cannot be written does not change the benchmark's code.
func TestUnwritableRecord(t *testing.T) {
	var out bytes.Buffer
	r := runner(staged(t, "exit 3", "exit 4"), &out)
	r.Save = func(*run.Record) error { return errors.New("no space left on device") }
	if code := r.Run(); code != 3 || !strings.Contains(out.String(), "warning: no space left") {
		t.Errorf("code %d, want 3, printed %q", code, out.String())
	}
}
