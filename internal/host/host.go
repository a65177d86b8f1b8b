// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package host reaches the machines that runs are on: this one, and others over ssh. It runs
// commands there and reads and writes files.
package host

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/plain"
)

// Host is a machine: its commands and its files. All paths are absolute.
type Host interface {
	// Name is what the user calls it, empty for this machine.
	Name() string
	// Run runs a command and returns what it printed. An *ExitError says that it ended with
	// another code than 0; errors.Is(err, exec.ErrNotFound) that it is not there;
	// errors.Is(err, ErrLost) that nobody knows what became of it.
	Run(ctx context.Context, c Command) (stdout, stderr string, err error)
	// Environ names the variables that a command would get.
	Environ(ctx context.Context) ([]string, error)
	// Missing are those of the paths, or of the programs by name, that are not there.
	Missing(ctx context.Context, paths, programs []string) ([]string, error)
	// List is what is in a directory, by name.
	List(ctx context.Context, dir string) ([]File, error)
	// ReadAt reads at most limit bytes from offset on; fewer are all there are.
	ReadAt(ctx context.Context, path string, offset int64, limit int) ([]byte, error)
	// ReadEnd reads at most the last limit bytes.
	ReadEnd(ctx context.Context, path string, limit int) ([]byte, error)
	// Write swaps the content of a file in one step: no reader sees half of it.
	Write(ctx context.Context, path string, data []byte, mode fs.FileMode) error
	// Place creates a directory with what write puts into it. It is whole or not there, and
	// nothing that exists is touched.
	Place(ctx context.Context, dir string, write func(dir string) error) error
	// Lock keeps other calls of Lock with this path waiting, here and on all machines that share the file, until unlock
	// is called. errors.Is(err, ErrLocked) says that it was waited for in vain.
	Lock(ctx context.Context, path string) (unlock func(), err error)
}

// Command is a program with its arguments, which everybody on the machine can see, and its
// environment, which its user can.
type Command struct {
	Args []string
	// Without are the variables, of those the machine has, that the command does not get.
	Without func(name string) bool
	// Env are further ones, NAME=value.
	Env []string
	// Bare is an environment without any variable.
	Bare bool
	// Limit is how long it may take; 0 is Patience.
	Limit time.Duration
}

// Patience with a command. A controller that is being restarted is waited for by Slurm's
// commands themselves, for longer than a person would.
const Patience = 30 * time.Second

func (c Command) limit() time.Duration {
	if c.Limit > 0 {
		return c.Limit
	}
	return Patience
}

// ExitError is a command that ended with another code than 0.
type ExitError struct {
	Program string
	Code    int
	Stderr  string
}

// Error is one line.
func (e *ExitError) Error() string {
	how := fmt.Sprintf("ended with code %d", e.Code)
	if e.Killed() {
		how = "was killed"
	}
	return strings.TrimSuffix(fmt.Sprintf("%s %s: %s", e.Program, how, OneLine(e.Stderr)), ": ")
}

// Killed tells a program that a signal ended, directly or under a shell.
func (e *ExitError) Killed() bool {
	const firstSignal, lastSignal = 128 + 1, 128 + 64
	return e.Code < 0 || e.Code >= firstSignal && e.Code <= lastSignal
}

// File is an entry of a directory.
type File struct {
	Name     string
	Size     int64
	Modified time.Time
	Mode     fs.FileMode
}

// ReadFile reads a file of moderate size.
func ReadFile(ctx context.Context, h Host, path string) ([]byte, error) {
	const most = 64 << 20
	return h.ReadAt(ctx, path, 0, most)
}

// Name of this machine, empty when it has none.
func Name() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// IsHere reports whether a name from a submit file or a record means this machine.
func IsHere(name string) bool {
	own := Name()
	short, _, _ := strings.Cut(own, ".")
	switch name {
	case "", "localhost", own, short:
		return true
	}
	return false
}

// OneLine joins what a program said over several lines. Of very much the end is kept.
func OneLine(text string) string {
	const most = 2000
	short := plain.End(text, most)
	var lines []string
	for line := range strings.Lines(plain.Text(short)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	joined := strings.Join(lines, "; ")
	if len(short) < len(text) {
		joined = "… " + joined
	}
	return joined
}
