// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// Local is this machine.
type Local struct{}

// Name is empty.
func (Local) Name() string { return "" }

// Run runs a command here.
func (Local) Run(ctx context.Context, c Command) (stdout, stderr string, err error) {
	limited, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	cmd := exec.CommandContext(limited, c.Args[0], c.Args[1:]...)
	cmd.WaitDelay = time.Second
	// A Ctrl-C at the terminal is for this program, which ends the command when it may.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with what it started
	cmd.Env = c.environ(os.Environ())
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err = cmd.Run(); errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has ended; what it left in the background still holds its output
	}
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		err = unheard(c.Args[0] + " was interrupted")
	case limited.Err() != nil:
		err = unheard(strings.TrimSuffix(fmt.Sprintf("%s did not end within %v: %s", c.Args[0], c.limit(), OneLine(said.String())), ": "))
	case errors.As(err, &exit):
		err = &ExitError{c.Args[0], exit.ExitCode(), said.String()}
	case err != nil:
		err = fmt.Errorf("run %s: %w", c.Args[0], err)
	}
	return out.String(), said.String(), err
}

// unheard is a command of which nobody knows what it did, although no connection was lost.
type unheard string

func (e unheard) Error() string        { return string(e) }
func (e unheard) Is(target error) bool { return target == ErrLost }

// environ is what the command gets of the machine's own.
func (c Command) environ(own []string) []string {
	env := []string{}
	for _, e := range own {
		name, _, _ := strings.Cut(e, "=")
		if !c.Bare && (c.Without == nil || !c.Without(name)) {
			env = append(env, e)
		}
	}
	return append(env, c.Env...)
}

// Environ names this process's variables.
func (Local) Environ(context.Context) ([]string, error) {
	var names []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		names = append(names, name)
	}
	return names, nil
}

// Missing looks here.
func (Local) Missing(_ context.Context, paths, programs []string) ([]string, error) {
	var missing []string
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			missing = append(missing, path)
		}
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	return missing, nil
}

// List reads a directory.
func (Local) List(_ context.Context, dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else it has gone meanwhile
			files = append(files, File{e.Name(), info.Size(), info.ModTime(), info.Mode()})
		}
	}
	return files, nil
}

// ReadAt reads a part of a file.
func (Local) ReadAt(_ context.Context, path string, offset int64, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.NewSectionReader(f, offset, int64(limit)))
}

// ReadEnd reads the end of a file.
func (l Local) ReadEnd(ctx context.Context, path string, limit int) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return l.ReadAt(ctx, path, max(0, info.Size()-int64(limit)), limit)
}

// Write swaps the content of a file.
func (Local) Write(_ context.Context, path string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(path, data, mode, renameio.WithTempDir(filepath.Dir(path)))
}

// Place builds the directory under another name and renames it.
func (Local) Place(_ context.Context, dir string, write func(string) error) error {
	building := unfinished(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(building, 0o755); err != nil {
		return err
	}
	err := write(building)
	if _, there := os.Lstat(dir); err == nil && there == nil {
		err = &fs.PathError{Op: "create", Path: dir, Err: fs.ErrExist}
	}
	if err == nil {
		err = os.Rename(building, dir)
	}
	if err != nil {
		_ = os.RemoveAll(building) // ours, and of no use
	}
	return err
}

// unfinished is the name of a directory that is being built.
func unfinished(dir string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".tmp")
}
