// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import "os"

// disk is what the journal needs of a file system. Tests have one that fails.
type disk interface {
	// open opens a file for appending and reading; its directory has to exist.
	open(path string) (file, error)
}

type file interface {
	Write(p []byte) (int, error)
	ReadAt(p []byte, offset int64) (int, error)
	Seek(offset int64, whence int) (int64, error)
	Sync() error
	Close() error
	size() (int64, error)
}

type realDisk struct{}

func (realDisk) open(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return realFile{f}, nil
}

type realFile struct{ *os.File }

func (f realFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
