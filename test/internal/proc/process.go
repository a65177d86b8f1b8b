// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package proc runs programs under test: starts them, waits for what they say or serve,
// stops them, and shows their output when the test fails.
package proc

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// Process is a program that was started.
type Process struct {
	cmd    *exec.Cmd
	output output
	done   chan struct{}
}

// Start runs cmd, with its output kept, in a process group of its own. When the test
// ends the group is killed, and the output shown if the test failed.
func Start(tb testing.TB, cmd *exec.Cmd) *Process {
	tb.Helper()
	p := &Process{cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	// A child of the program may keep the output open for ever.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // the exit code is in cmd.ProcessState
		close(p.done)
	}()
	tb.Cleanup(func() {
		p.killGroup()
		<-p.done
		if tb.Failed() {
			tb.Logf("%s said:\n%s", cmd, p.Output())
		}
	})
	return p
}

// killGroup also reaches children that outlived the program itself.
func (p *Process) killGroup() {
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL) // gone already is fine
}

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Output is what the program wrote so far, standard output and error mixed.
func (p *Process) Output() string { return p.output.String() }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal sends a signal to the program alone.
func (p *Process) Signal(tb testing.TB, signal os.Signal) {
	tb.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Fatal(err)
	}
}

// Wait waits for the end and returns the exit code, as a shell counts it: 128 and the
// signal's number when a signal ended it.
func (p *Process) Wait(tb testing.TB, timeout time.Duration) int {
	tb.Helper()
	select {
	case <-p.done:
	case <-time.After(timeout):
		tb.Fatalf("%s still runs after %v", p.cmd, timeout)
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Stop sends SIGTERM and returns the exit code.
func (p *Process) Stop(tb testing.TB, timeout time.Duration) int {
	tb.Helper()
	p.Signal(tb, syscall.SIGTERM)
	return p.Wait(tb, timeout)
}

// Line waits until a line of the output contains part, and returns the line.
func (p *Process) Line(tb testing.TB, timeout time.Duration, part string) string {
	tb.Helper()
	var found string
	p.until(tb, timeout, func() error {
		text := p.Output()
		// A last line without its end may still grow.
		for line := range strings.Lines(text) {
			if strings.Contains(line, part) && strings.HasSuffix(line, "\n") {
				found = strings.TrimSuffix(line, "\n")
				return nil
			}
		}
		return fmt.Errorf("no line with %q", part)
	})
	return found
}

// Serves waits until a GET of url answers 200.
func (p *Process) Serves(tb testing.TB, timeout time.Duration, url string) {
	tb.Helper()
	p.until(tb, timeout, func() error { return answers(url) })
}

// until is wait.For, but ends at once when the program does.
func (p *Process) until(tb testing.TB, timeout time.Duration, condition func() error) {
	tb.Helper()
	wait.For(tb, timeout, func() error {
		err := condition()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			// What it said last may have come after the look above.
			if err = condition(); err != nil {
				tb.Fatalf("%s has ended: %v", p.cmd, err)
			}
			return nil
		default:
			return err
		}
	})
}

func answers(url string) error {
	client := http.Client{Timeout: time.Second}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}

// output is a buffer that can be read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String is everything written so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
