// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// double puts a shell script in the place of one of Slurm's commands.
func double(t *testing.T, name, body string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestQueue(t *testing.T) {
	double(t, "squeue", `cat <<'END'
a plugin: be | nice
1|FAILED|0:00|365-00:00:00|2026-11-30T22:44:11|n1|NonZeroExitCode|/tmp/a b | c
3|PENDING|0:00|UNLIMITED|N/A||ReqNodeNotAvail, UnavailableNodes:n[1-2]|/tmp
2|RUNNING|0:02|364-23:59:58|2026-11-30T22:44:11|n1|None|/tmp
END`)
	jobs, err := Queue(t.Context(), host.Local{}, []string{"1", "2", "3"})
	if err != nil || len(jobs) != 3 {
		t.Fatalf("%v, %v", jobs, err)
	}
	if j := jobs["1"]; !j.Ended() || j.WorkDir != "/tmp/a b | c" || j.Reason != "NonZeroExitCode" {
		t.Errorf("%+v", j)
	}
	if j := jobs["3"]; !j.Pending() || j.Left != "" || j.Start != "" || !strings.Contains(j.Waits(), "down, drained or reserved") {
		t.Errorf("%+v waits: %s", j, j.Waits())
	}
	if j := jobs["2"]; !j.Active() || j.Reason != "" || j.Left != "364-23:59:58" {
		t.Errorf("%+v", j)
	}
}

func TestHeld(t *testing.T) {
	for reason, held := range map[string]bool{
		"JobHeldUser": true, "JobHeldAdmin": true, "job requeued in held state": true, "launch_failed_requeued_held": true,
		"JobHoldMaxRequeue": true, "": false, "Priority": false, "BeginTime": false,
	} {
		if got := (Job{State: "PENDING", Reason: reason}).Held(); got != held {
			t.Errorf("%q: held is %t", reason, got)
		}
	}
}

// One job that is gone is an error to squeue, a controller that is away is another.
func TestQueueWithoutAnswer(t *testing.T) {
	double(t, "squeue", `echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1`)
	if jobs, err := Queue(t.Context(), host.Local{}, []string{"1"}); err != nil || len(jobs) != 0 {
		t.Errorf("a forgotten job: %v, %v", jobs, err)
	}
	double(t, "squeue", `echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1`)
	if _, err := Queue(t.Context(), host.Local{}, []string{"1"}); err == nil || !strings.Contains(err.Error(), "Unable to contact") {
		t.Errorf("a controller that is away: %v", err)
	}
	if jobs, err := Queue(t.Context(), host.Local{}, nil); err != nil || len(jobs) != 0 {
		t.Errorf("no job at all: %v, %v", jobs, err)
	}
}

// What somebody's profile sets for their own eyes is none of the question.
func TestProfilesAreLeftOut(t *testing.T) {
	double(t, "squeue", `env | grep -c -e ^SQUEUE -e ^SCANCEL -e TIME_FORMAT=relative | grep -q '^0$' || exit 9
echo "$SLURM_CONF" | grep -q kept || exit 8`)
	t.Setenv("SQUEUE_USERS", "bob")
	t.Setenv("SCANCEL_INTERACTIVE", "1")
	t.Setenv("SLURM_TIME_FORMAT", "relative")
	t.Setenv("SLURM_CONF", "kept")
	if _, err := Queue(t.Context(), host.Local{}, []string{"1"}); err != nil {
		t.Error(err)
	}
}

func TestAccounts(t *testing.T) {
	double(t, "sacct", `printf '12|CANCELLED by 1000|0:15|00:00:10|n1|None|/x\n13|OUT_OF_MEMORY|0:125|00:01|n1||/y|z\n'`)
	jobs, err := Accounts(t.Context(), host.Local{}, []string{"12", "13"})
	if err != nil {
		t.Fatal(err)
	}
	if j := jobs["12"]; j.State != "CANCELLED" || j.By != "1000" || *j.Code != 0 || *j.Signal != 15 {
		t.Errorf("%+v", j)
	}
	if j := jobs["13"]; j.State != "OUT_OF_MEMORY" || j.WorkDir != "/y|z" {
		t.Errorf("%+v", j)
	}
	double(t, "sacct", `echo "Slurm accounting storage is disabled" >&2; exit 1`)
	if _, err := Accounts(t.Context(), host.Local{}, []string{"12"}); !errors.Is(err, ErrNoAccounting) {
		t.Errorf("without accounting: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Accounts(t.Context(), host.Local{}, []string{"12"}); !errors.Is(err, ErrNoAccounting) {
		t.Errorf("without sacct: %v", err)
	}
}

// As Slurm 22.05 prints it, shortened, with a directory that has blanks.
const shownJob = `JobId=1 JobName=a.sh UserId=root(0) Account=(null) JobState=FAILED Reason=NonZeroExitCode Dependency=(null) ExitCode=7:0 RunTime=00:00:03 ` +
	`TimeLimit=365-00:00:00 ReqNodeList=(null) ExcNodeList=(null) NodeList=n1 BatchHost=n1 Command=/tmp/gym x/a.sh WorkDir=/tmp/gym x StdErr=/dev/null StdIn=/dev/null Power= `

func TestShow(t *testing.T) {
	j, ok := parseShown(shownJob)
	if !ok || j.ID != "1" || j.State != "FAILED" || *j.Code != 7 || j.Signal != nil || j.Nodes != "n1" || j.WorkDir != "/tmp/gym x" || j.Elapsed != "00:00:03" {
		t.Errorf("%+v, %t", j, ok)
	}
	double(t, "scontrol", `echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1`)
	if _, found, err := Show(t.Context(), host.Local{}, "1"); found || err != nil {
		t.Errorf("a forgotten job: %t, %v", found, err)
	}
}

// A job that ended before the call came is no error; one that is somebody else's is.
func TestScancelOvertaken(t *testing.T) {
	double(t, "scancel", `echo "scancel: error: Kill job error on job id 1: Invalid job id specified" >&2; exit 1`)
	if err := Stop(t.Context(), host.Local{}, []string{"1"}); err != nil {
		t.Error(err)
	}
	double(t, "scancel", `echo "scancel: error: Kill job error on job id 1: Invalid job id specified" >&2
echo "scancel: error: Kill job error on job id 2: Access/permission denied" >&2; exit 1`)
	if err := Cancel(t.Context(), host.Local{}, []string{"1", "2"}); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Error(err)
	}
	double(t, "scancel", `exit 1`)
	if err := CancelPending(t.Context(), host.Local{}, nil); err != nil {
		t.Error("scancel was called for nothing")
	}
}

func TestWaits(t *testing.T) {
	for reason, want := range map[string]string{
		"":                        "it was only just queued",
		"Priority":                "jobs with a higher priority are before it (Priority)",
		"JobHeldUser":             "it is held by its user: scontrol release 7 lets it go (JobHeldUser)",
		"AssocGrpGRES":            "your account is at a limit that all its users share (AssocGrpGRES)",
		"QOSMaxJobsPerUserLimit":  "you are at a limit of its QOS (QOSMaxJobsPerUserLimit)",
		"MaxGRESPerAccount":       "you are at a limit of your account (MaxGRESPerAccount)",
		"PartitionTimeLimit":      "its walltime is longer than its partition allows: it will not start, cancel it and set compute.<name>.walltime lower (PartitionTimeLimit)",
		"SomethingOfSlurmTwoThou": "Slurm gives a reason of its own (SomethingOfSlurmTwoThou)",
	} {
		if got := (Job{ID: "7", Reason: reason}).Waits(); got != want {
			t.Errorf("%s: %s, want %s", reason, got, want)
		}
	}
}

// Every reason that Slurm has a word for, taken from its library (22.05.8) and the list in the manual of squeue.
func TestEveryReasonIsTranslated(t *testing.T) {
	list, err := os.ReadFile("testdata/reasons")
	if err != nil {
		t.Fatal(err)
	}
	reasons := strings.Fields(string(list))
	if len(reasons) < 200 {
		t.Fatalf("the list has %d reasons only", len(reasons))
	}
	for _, reason := range reasons {
		words := Job{ID: "7", Reason: reason}.Waits()
		if strings.Contains(words, "a reason of its own") || strings.Contains(words, "JOB") {
			t.Errorf("%s: %s", reason, words)
		}
	}
}

func TestEveryStateIsOneOfThree(t *testing.T) {
	for state, want := range map[string]string{
		"PENDING": "pending", "REQUEUE_HOLD": "pending", "RUNNING": "active", "COMPLETING": "active", "SUSPENDED": "active",
		"COMPLETED": "ended", "TIMEOUT": "ended", "NODE_FAIL": "ended", "REVOKED": "ended", "": "none",
	} {
		j := Job{State: state}
		got := "none"
		switch {
		case j.Pending():
			got = "pending"
		case j.Active():
			got = "active"
		case j.Ended():
			got = "ended"
		}
		if got != want {
			t.Errorf("%s is %s, want %s", state, got, want)
		}
	}
}
