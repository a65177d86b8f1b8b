// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
)

// Archive is a machine as a copy of one of its directories shows it, after all that went on there has ended. It has no
// other files and no programs, and nothing is in any queue.
type Archive struct {
	// Of is the machine, From the directory there, To the copy here.
	Of, From, To string
}

var errArchive = errors.New("a fetched copy is only read")

// Name is not the machine's own: that one is not asked.
func (a Archive) Name() string { return a.Of + " (fetched)" }

// Run finds no program.
func (a Archive) Run(_ context.Context, c Command) (stdout, stderr string, err error) {
	return "", "", fmt.Errorf("run %s on %s: %w", c.Args[0], a.Name(), exec.ErrNotFound)
}

// Environ is empty.
func (Archive) Environ(context.Context) ([]string, error) { return nil, nil }

// here is where a path of the machine is.
func (a Archive) here(path string) (string, error) {
	below, err := filepath.Rel(a.From, path)
	if err != nil || !filepath.IsLocal(below) {
		return "", &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return filepath.Join(a.To, below), nil
}

// Missing looks into the copy; no program is there.
func (a Archive) Missing(_ context.Context, paths, programs []string) ([]string, error) {
	var missing []string
	for _, path := range paths {
		here, err := a.here(path)
		if gone, _ := (Local{}).Missing(context.Background(), []string{here}, nil); err != nil || len(gone) > 0 {
			missing = append(missing, path)
		}
	}
	return append(missing, programs...), nil
}

// List looks into the copy.
func (a Archive) List(ctx context.Context, dir string) ([]File, error) {
	here, err := a.here(dir)
	if err != nil {
		return nil, err
	}
	return Local{}.List(ctx, here)
}

// ReadAt reads the copy.
func (a Archive) ReadAt(ctx context.Context, path string, offset int64, limit int) ([]byte, error) {
	here, err := a.here(path)
	if err != nil {
		return nil, err
	}
	return Local{}.ReadAt(ctx, here, offset, limit)
}

// ReadEnd reads the copy.
func (a Archive) ReadEnd(ctx context.Context, path string, limit int) ([]byte, error) {
	here, err := a.here(path)
	if err != nil {
		return nil, err
	}
	return Local{}.ReadEnd(ctx, here, limit)
}

// Write refuses.
func (Archive) Write(context.Context, string, []byte, fs.FileMode) error { return errArchive }

// Place refuses.
func (Archive) Place(context.Context, string, func(string) error) error { return errArchive }
