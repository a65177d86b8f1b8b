// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Load reads delivery.json of a directory. The error is fs.ErrNotExist when there is none; a file that is torn or
// of another version is an error too, and never a reason not to start.
func Load(dir string) (*File, error) {
	content, err := read(filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	return Parse(content)
}

// Parse reads the content of delivery.json.
func Parse(content []byte) (*File, error) {
	file := &File{}
	if err := json.Unmarshal(content, file); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", FileName, err)
	}
	if file.Version != Version {
		return nil, fmt.Errorf("%s has version %d, this program writes %d", FileName, file.Version, Version)
	}
	return file, nil
}

// read tries again when a file system shared with other nodes is about to show the next version of the file.
func read(path string) (content []byte, err error) {
	for range 3 {
		if content, err = os.ReadFile(path); !errors.Is(err, syscall.ESTALE) {
			return content, err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return content, err
}

// Save replaces delivery.json so that a reader sees the old content or the new one, whatever happens meanwhile.
// The name of the temporary file holds the owner: two writers never share one.
func (f *File) Save(dir string) error {
	// One key a line, and plain text in strings: the job script reads it without a JSON parser.
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		return fmt.Errorf("write %s: %w", FileName, err)
	}
	path := filepath.Join(dir, FileName)
	temporary := path + "." + f.Owner.ID + ".tmp"
	if err := writeSynced(temporary, content.Bytes()); err != nil {
		_ = os.Remove(temporary) // it is worth nothing, and may be what fills the disk
		return err
	}
	if err := rename(temporary, path); err != nil {
		return err
	}
	return syncDir(dir)
}

func writeSynced(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	// Network file systems report an exceeded quota here.
	return errors.Join(err, file.Close())
}

// rename counts as done when the new file is in place although the answer of a file server was lost.
func rename(from, to string) error {
	before, statErr := os.Stat(from)
	err := os.Rename(from, to)
	if err == nil || statErr != nil {
		return err
	}
	if after, statErr := os.Stat(to); statErr == nil && os.SameFile(before, after) {
		return nil
	}
	return err
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // it was only read
	// Not every file system has an fsync for directories.
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
