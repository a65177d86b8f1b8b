// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/installation"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// env is what the commands see of the world around them.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	lookup         func(string) (string, bool)
	now            func() time.Time
	newID          func(time.Time) string
	submitter      func() run.Submitter
	// hosts are the machines that runs are on.
	hosts *host.Pool
	// noCopies asks the machine of a run although the run was fetched.
	noCopies bool
}

func systemEnv() *env {
	return &env{
		stdin:     os.Stdin,
		stdout:    os.Stdout,
		stderr:    os.Stderr,
		lookup:    os.LookupEnv,
		now:       time.Now,
		newID:     run.NewID,
		submitter: systemSubmitter,
		hosts:     &host.Pool{},
	}
}

// live is e for a command that acts on a run: a copy is only read.
func (e *env) live() *env {
	other := *e
	other.noCopies = true
	return &other
}

func (e *env) options() config.Options { return config.Options{LookupEnv: e.lookup} }

func (e *env) getenv(name string) string {
	value, _ := e.lookup(name)
	return value
}

// talk is for the person at the terminal; stdout carries the result alone.
func (e *env) talk(format string, args ...any) { fmt.Fprintf(e.stderr, format+"\n", args...) }

// history is the local index of this user, and what `gym eval submit` listed there before.
func (e *env) history() history.History {
	dir, err := run.IndexDir(e.getenv)
	if err != nil {
		return history.Without(err)
	}
	return history.New(dir).WithUpstream(run.UpstreamIndexDir(e.getenv))
}

func systemSubmitter() run.Submitter {
	by := run.Submitter{User: userName()}
	if program, err := executable(); err == nil {
		by.Binary = installation.Collector(program)
	}
	return by
}

// executable is this program's file, with symbolic links followed: a link in ~/bin stands for
// the installation it points to.
func executable() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(program)
}

// userName is the login name. A static program cannot ask a directory service, so behind the
// password file it believes the login's own variables.
func userName() string {
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		return u.Username
	}
	for _, name := range []string{"LOGNAME", "USER"} {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return strconv.Itoa(os.Getuid())
}
