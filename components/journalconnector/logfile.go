// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"errors"
	"io"
)

// logFile appends whole lines to one file. It belongs to one goroutine.
type logFile struct {
	disk disk
	path string

	file file  // nil: to be opened
	end  int64 // of the file
	torn bool  // it ends within a line

	foreign region // what another collector appended before the last line; empty if nothing
}

// open finds out where the file ends and whether its last line is whole. Whatever is in it stays.
func (l *logFile) open() error {
	if l.file != nil {
		return nil
	}
	f, err := l.disk.open(l.path)
	if err != nil {
		return err
	}
	if err = l.find(f); err != nil {
		return errors.Join(err, f.Close())
	}
	l.file = f
	return nil
}

func (l *logFile) find(f file) (err error) {
	if l.end, err = f.size(); err != nil {
		return err
	}
	l.torn = false
	if l.end == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, l.end-1); err != nil {
		return err
	}
	l.torn = last[0] != '\n'
	return nil
}

// append writes one line with one call and returns where it begins. Behind a torn line the same call begins
// with a newline: it works on a full disk and removes nothing.
func (l *logFile) append(line []byte) (start int64, err error) {
	if err := l.open(); err != nil {
		return 0, err
	}
	text := line
	if l.torn {
		text = append([]byte{'\n'}, line...)
	}
	n, err := l.file.Write(text)
	if n > 0 {
		l.torn = text[n-1] != '\n'
		err = errors.Join(err, l.locate(int64(n)))
	}
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err != nil {
		l.close()
	}
	return l.end - int64(len(line)), err
}

// locate finds out where a write of n bytes went. That is not always where the last one ended: the former collector
// of the directory may still be alive, on a node that was thought lost, and append too until it sees that it was
// followed.
func (l *logFile) locate(n int64) error {
	end, err := l.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	l.foreign = region{start: l.end, end: end - n}
	l.end = end
	if l.foreign.start >= l.foreign.end {
		return nil
	}
	last := make([]byte, 1)
	if _, err := l.file.ReadAt(last, l.foreign.end-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		return errGlued
	}
	return nil
}

var errGlued = errors.New("another collector left half a line")

// sync makes what was appended last. After a failure the kernel may have forgotten it and say yes the next time:
// the file is opened anew, and the caller writes again.
func (l *logFile) sync() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Sync()
	if err != nil {
		l.close()
	}
	return err
}

// close forgets the file. What close says is of no use: nothing that it covers counts as synced.
func (l *logFile) close() {
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}
