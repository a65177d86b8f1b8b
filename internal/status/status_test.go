// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/joblog"
	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/slurm"
)

func jobs(states ...State) []Job {
	var all []Job
	for _, s := range states {
		all = append(all, Job{State: s})
	}
	return all
}

func TestRollUp(t *testing.T) {
	for want, all := range map[State][]Job{
		Running:   jobs(Failed, Queued, Running),
		Queued:    jobs(Failed, Queued, Succeeded),
		Failed:    jobs(Succeeded, Cancelled, Failed, Unknown),
		Cancelled: jobs(Succeeded, Cancelled),
		Unknown:   jobs(Succeeded, Unknown),
		Succeeded: jobs(Succeeded, Succeeded),
	} {
		if got := rollUp(all); got != want {
			t.Errorf("%v: %s", all, got)
		}
	}
	if got := rollUp(nil); got != Unknown {
		t.Errorf("no job at all: %s", got)
	}
}

func TestResult(t *testing.T) {
	zero, seven := 0, 7
	for _, c := range []struct {
		jobs []Job
		want int
	}{
		{[]Job{{State: Succeeded, ExitCode: &zero}, {State: Succeeded}}, 0},
		{[]Job{{State: Succeeded, ExitCode: &zero}, {State: Failed, ExitCode: &seven}, {State: Failed}}, 7},
		{[]Job{{State: Failed}, {State: Failed, ExitCode: &seven}}, 1},
		{[]Job{{State: Cancelled, ExitCode: &zero}}, 1},
		{[]Job{{State: Unknown}}, 1},
	} {
		if got := (Run{Benchmarks: c.jobs}).Result(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.jobs, got, c.want)
		}
	}
}

// A job of which nobody could be asked just now has not ended.
func TestUnansweredIsNotOver(t *testing.T) {
	r := Run{Benchmarks: []Job{{Benchmark: "a", State: Unknown, unanswered: true}, {Benchmark: "b", State: Unknown}}}
	if got := r.Unfinished(); len(got) != 1 || got[0] != "a" || r.Over() {
		t.Errorf("unfinished: %v", got)
	}
}

// subjectWith is job 7 with these last lines in its log.
func subjectWith(t *testing.T, log string) subject {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if log != "" {
		if err := os.WriteFile(joblog.Path(dir, joblog.Job, "7"), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := "7"
	record := &run.Record{GymJobID: "gym-job-x", Cluster: "east", Executor: "slurm"}
	return subject{host.Local{}, record, run.BenchmarkRecord{Benchmark: "gpqa", JobDir: dir, JobID: &id}}
}

const (
	began   = "10:00:00.000 job 7 of gym-job-x/gpqa begins on n1\n"
	ended7  = "10:00:01.000 the driver ended with code 7\n10:00:02.000 job 7 of gym-job-x/gpqa ends with code 7\n"
	stopped = "10:00:01.000 stopping the driver (TERM: the job was asked to stop)\n10:00:01.000 the driver ended with code 143\n" +
		"10:00:02.000 job 7 of gym-job-x/gpqa ends with code 143\n"
)

// slurmSays is what slurmstepd writes into the job's log.
func slurmSays(why string) string {
	return "slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:01" + why + " ***\n"
}

// A job that may be in the queue again has not ended because its script has: Slurm alone can say.
func TestRequeuedIsNotOver(t *testing.T) {
	for why, over := range map[string]bool{" DUE TO JOB REQUEUE": false, " DUE TO PREEMPTION": false, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS": false, "": true} {
		s := subjectWith(t, began+slurmSays(why)+stopped)
		if got := s.observeSlurm(t.Context(), schedule{}); got.Over() != over {
			t.Errorf("cancelled%s: over is %t: %s", why, got.Over(), got.Why)
		}
	}
}

func TestConclusions(t *testing.T) {
	zero, nine := 0, 9
	for _, c := range []struct {
		name      string
		job       slurm.Job
		log       string
		state     State
		why, next string
	}{
		{"success", slurm.Job{State: "COMPLETED"}, "", Succeeded, "the driver ended with code 0", ""},
		{"success by the log", slurm.Job{}, began + strings.ReplaceAll(ended7, "code 7", "code 0"), Succeeded, "code 0", ""},
		{"driver's code", slurm.Job{State: "FAILED"}, began + ended7, Failed, "the driver ended with code 7", "gpqa driver"},
		{"driver not found", slurm.Job{}, began + strings.ReplaceAll(ended7, "code 7", "code 127"), Failed, "command was not found", "gpqa driver"},
		{"time limit", slurm.Job{State: "TIMEOUT"}, began, Failed, "walltime was used up", "raise compute.east.walltime"},
		{"memory", slurm.Job{State: "OUT_OF_MEMORY"}, began, Failed, "out of memory", "mem"},
		{"node", slurm.Job{State: "NODE_FAIL", Nodes: "n7"}, began, Failed, "a node failed under it (n7)", "gym-submit resubmit gym-job-x gpqa"},
		{"launch", slurm.Job{State: "FAILED", Reason: "JobLaunchFailure"}, "", Failed, "could not start it", "shared storage"},
		{"cancelled while it waited", slurm.Job{State: "CANCELLED", By: "987654"}, "", Cancelled, "cancelled by user 987654 before it began", ""},
		{"cancelled while it ran", slurm.Job{State: "CANCELLED"}, began, Cancelled, "cancelled", ""},
		{"preempted", slurm.Job{State: "PREEMPTED"}, began, Failed, "higher priority", "gym-submit resubmit gym-job-x gpqa"},
		{"told to stop", slurm.Job{State: "FAILED"}, began + stopped, Failed, "it was stopped (TERM: the job was asked to stop); the driver ended with code 143", ""},
		{"told to stop, and ended with 0", slurm.Job{State: "COMPLETED"}, began + "10:00:01.000 STOPPED before the driver was done: USR1: the walltime is nearly used up\n", Failed, "walltime was nearly used up", "raise"},
		{"script killed", slurm.Job{State: "FAILED", Code: &zero, Signal: &nine}, began, Failed, "ended with code 137", "gpqa job"},
		{"cancelled, by the log", slurm.Job{}, began + slurmSays("") + stopped, Cancelled, "cancelled", ""},
		{"time limit, by the log", slurm.Job{}, began + slurmSays(" DUE TO TIME LIMIT") + stopped, Failed, "walltime was used up", "raise"},
		{"preempted, by the log", slurm.Job{}, began + slurmSays(" DUE TO PREEMPTION"), Failed, "higher priority", "gym-submit resubmit"},
		{"node, by the log", slurm.Job{}, began + slurmSays(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"), Failed, "a node failed", "gym-submit resubmit"},
		{"requeued and forgotten", slurm.Job{}, began + slurmSays(" DUE TO JOB REQUEUE") + stopped, Unknown, "back into the queue", "gym-submit resubmit"},
		{"nothing known", slurm.Job{}, began, Unknown, "did not say how it ended", "gpqa job"},
	} {
		s := subjectWith(t, c.log)
		story := joblog.Read(t.Context(), host.Local{}, s.JobDir, *s.JobID)
		got := s.conclude(t.Context(), evidence{job: c.job, story: story, code: story.Code})
		if got.State != c.state || !strings.Contains(got.Why, c.why) || !strings.Contains(got.Next, c.next) || (c.next == "") != (got.Next == "") {
			t.Errorf("%s: %s, %q, next %q", c.name, got.State, got.Why, got.Next)
		}
	}
}

func TestDirectoryIsGone(t *testing.T) {
	s := subjectWith(t, "")
	s.JobDir += "/gone"
	if got := s.conclude(t.Context(), evidence{}); got.State != Unknown || !strings.Contains(got.Why, s.JobDir+" is not there") || !strings.Contains(got.Next, "status DIRECTORY") {
		t.Errorf("%+v", got)
	}
}

// A job that was stopped in order ends with the code of a driver that was stopped.
func TestCancelledInOrder(t *testing.T) {
	s := subjectWith(t, began+stopped)
	if err := joblog.NoteCancelled(t.Context(), host.Local{}, s.JobDir, *s.JobID, "alice"); err != nil {
		t.Fatal(err)
	}
	story := joblog.Read(t.Context(), host.Local{}, s.JobDir, *s.JobID)
	got := s.conclude(t.Context(), evidence{job: slurm.Job{State: "FAILED"}, story: story, code: story.Code})
	if got.State != Cancelled || got.Why != "cancelled by alice" || *got.ExitCode != 143 {
		t.Errorf("%+v", got)
	}
	// It may have come too late: then the driver's work is done.
	done := s.conclude(t.Context(), evidence{job: slurm.Job{State: "COMPLETED"}})
	if done.State != Succeeded {
		t.Errorf("%+v", done)
	}
}

func TestLocalJobs(t *testing.T) {
	record := func(host string, b run.BenchmarkRecord) []*run.Record {
		return []*run.Record{{Executor: "local", ExecutorMetadata: map[string]string{run.HostKey: host, local.ProcessKey: "local-1-1"}, Benchmarks: []run.BenchmarkRecord{b}}}
	}
	id, interrupted, zero := "local-1-1", local.Interrupted, 0
	for _, c := range []struct {
		host  string
		b     run.BenchmarkRecord
		state State
		why   string
	}{
		{"", run.BenchmarkRecord{JobID: &id}, Failed, "its process is gone without a word"},
		{"", run.BenchmarkRecord{}, Failed, "the gym-submit that ran this run is gone"},
		{"", run.BenchmarkRecord{Error: &interrupted}, Cancelled, "the run was stopped before it was started"},
		{"elsewhere", run.BenchmarkRecord{JobID: &id}, Unknown, "it is on elsewhere"},
		{"elsewhere", run.BenchmarkRecord{JobID: &id, ExitCode: &zero}, Succeeded, "code 0"},
	} {
		runs, warnings := Observe(t.Context(), func(*run.Record) host.Host { return host.Local{} }, record(c.host, c.b))
		if got := runs[0].Benchmarks[0]; got.State != c.state || !strings.Contains(got.Why, c.why) || len(warnings) > 0 {
			t.Errorf("%+v: %+v, %v", c.b, got, warnings)
		}
	}
}
