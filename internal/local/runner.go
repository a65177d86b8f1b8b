// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Runner runs the jobs of one staged submission.
type Runner struct {
	Record *run.Record
	// Only are the benchmarks to run; empty means all.
	Only []string
	// Save keeps the record after each change.
	Save func(*run.Record) error
	// Output gets what the job scripts print, as they print it.
	Output io.Writer
	token  string
}

// ReadToken takes the token that Continue left in the pipe; without one there is none.
func (r *Runner) ReadToken() error {
	pipe := os.NewFile(tokenFD, "token")
	if pipe == nil {
		return fmt.Errorf("read the token: descriptor %d is not open", tokenFD)
	}
	defer func() { _ = pipe.Close() }()
	data, err := io.ReadAll(pipe)
	if err != nil {
		return fmt.Errorf("read the token: %w", err)
	}
	r.token = string(data)
	return nil
}

// Run runs every benchmark and returns the first exit code that is not 0. A signal ends the
// running job in order and starts no other.
func (r *Runner) Run() int {
	// A job is told to stop when the thread that started it ends, so that it outlives this
	// program in no case.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1)
	defer signal.Stop(signals)
	own := adoptOrphans()
	Identify(r.Record)
	r.keep()
	first := 0
	jobs := r.jobs()
	for i, b := range jobs {
		code, interrupted := r.runOne(b, signals, own)
		if first == 0 {
			first = code
		}
		if interrupted {
			r.skip(jobs[i+1:], Interrupted)
			return max(first, 1)
		}
	}
	return first
}

// jobs are the benchmarks to run, in the order of the record.
func (r *Runner) jobs() []*run.BenchmarkRecord {
	var jobs []*run.BenchmarkRecord
	for i := range r.Record.Benchmarks {
		b := &r.Record.Benchmarks[i]
		if len(r.Only) == 0 || slices.Contains(r.Only, b.Benchmark) {
			jobs = append(jobs, b)
		}
	}
	return jobs
}

// Identify notes in a record that this process runs its jobs, for those who ask or stop it later.
func Identify(r *run.Record) {
	if r.ExecutorMetadata == nil {
		r.ExecutorMetadata = map[string]string{}
	}
	if own, err := processID(os.Getpid()); err == nil {
		r.ExecutorMetadata[ProcessKey] = own
	}
	r.ExecutorMetadata[run.HostKey] = host.Name()
}

func (r *Runner) runOne(b *run.BenchmarkRecord, signals <-chan os.Signal, own []int) (code int, interrupted bool) {
	job, err := start(b.JobDir, r.token)
	if err != nil {
		reason := err.Error()
		b.Error = &reason
		r.keep()
		return 1, false
	}
	b.JobID, b.ProcessGroup = &job.id, &job.cmd.Process.Pid
	r.keep()
	code, interrupted = job.await(r.Output, signals)
	killOrphans(own)
	b.ExitCode = &code
	r.keep()
	return code, interrupted
}

// keep saves the record. A disk that is full must not change what the benchmark ended with.
func (r *Runner) keep() {
	if err := r.Save(r.Record); err != nil {
		_, _ = fmt.Fprintf(r.Output, "warning: %v\n", err)
	}
}

// skip notes that benchmarks were never started.
func (r *Runner) skip(jobs []*run.BenchmarkRecord, reason string) {
	for _, b := range jobs {
		b.Error = &reason
	}
	r.keep()
}

// job is one running job script.
type job struct {
	id  string
	cmd *exec.Cmd
	log *os.File // the script's output, read from here while it is written
}

// start runs job.sh of a directory in a process group of its own, so that a Ctrl-C at the
// terminal reaches this program alone and the script hears of it once.
func start(dir, token string) (*job, error) {
	cmd := exec.Command("bash", filepath.Join(dir, run.ScriptName))
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGUSR1}
	if token != "" {
		pipe, err := pipeWith(token)
		if err != nil {
			return nil, fmt.Errorf("hand over the token: %w", err)
		}
		defer func() { _ = pipe.Close() }() // the script has its own
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", TokenFDVariable, tokenFD))
		cmd.ExtraFiles = []*os.File{pipe} // descriptor 3
	}
	// The log's name holds the job's id, which holds the process id: it is known only now.
	unnamed := filepath.Join(dir, "logs", "job.log")
	out, err := os.OpenFile(unnamed, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the job's log: %w", err)
	}
	defer func() { _ = out.Close() }() // the script has its own
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start job.sh: %w", err)
	}
	j := &job{cmd: cmd}
	if j.id, err = processID(cmd.Process.Pid); err == nil {
		named := filepath.Join(dir, "logs", "job-"+j.id+".log")
		if err = os.Rename(unnamed, named); err == nil {
			j.log, err = os.Open(named)
		}
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("follow the job: %w", err)
	}
	return j, nil
}

// await copies the job's log until the script ends. Signals are passed on to the script,
// which stops everything in order.
func (j *job) await(output io.Writer, signals <-chan os.Signal) (code int, interrupted bool) {
	defer func() { _ = j.log.Close() }()
	ended := make(chan error, 1)
	go func() { ended <- j.cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			_, _ = io.Copy(output, j.log)
			return exitCode(err), interrupted
		case s := <-signals:
			interrupted = true
			if s == syscall.SIGQUIT { // the script knows it not
				s = syscall.SIGTERM
			}
			_ = j.cmd.Process.Signal(s)
		case <-tick():
			_, _ = io.Copy(output, j.log)
		}
	}
}

// exitCode is the script's own code, or 128 and the signal that killed it, as a shell says.
func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return 1
		}
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
