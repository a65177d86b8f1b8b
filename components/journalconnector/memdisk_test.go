// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"syscall"
)

// memDisk is a file system that keeps apart what is synced and what is not, and fails on demand.
type memDisk struct {
	mu    sync.Mutex
	files map[string]*memContent

	openErr  error
	writeErr error // of every write
	short    int   // bytes that a failing write writes all the same
	syncErr  error
	hang     chan struct{} // calls wait until it is closed
}

type memContent struct {
	data   []byte
	synced int
}

func newMemDisk() *memDisk { return &memDisk{files: map[string]*memContent{}} }

// set changes what goes wrong.
func (d *memDisk) set(change func(*memDisk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

func (d *memDisk) healthy() {
	d.set(func(d *memDisk) { d.writeErr, d.syncErr, d.short = nil, nil, 0 })
}

func (d *memDisk) content(path string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.files[path]; c != nil {
		return bytes.Clone(c.data)
	}
	return nil
}

// after is the disk that the next process finds: everything when the process was killed, what was synced and keep
// bytes more when the node died.
func (d *memDisk) after(keep func(unsynced int) int) *memDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := newMemDisk()
	for path, c := range d.files {
		n := c.synced + keep(len(c.data)-c.synced)
		next.files[path] = &memContent{data: bytes.Clone(c.data[:n]), synced: n}
	}
	return next
}

func (d *memDisk) open(path string) (file, error) {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.openErr != nil {
		return nil, d.openErr
	}
	if d.files[path] == nil {
		d.files[path] = &memContent{}
	}
	return &memFile{disk: d, of: d.files[path]}, nil
}

func (d *memDisk) wait() {
	d.mu.Lock()
	hang := d.hang
	d.mu.Unlock()
	if hang != nil {
		<-hang
	}
}

type memFile struct {
	disk *memDisk
	of   *memContent
	at   int64 // the end of what was written last
}

func (f *memFile) Write(p []byte) (int, error) {
	f.disk.wait()
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.writeErr; err != nil {
		n := min(f.disk.short, len(p)-1)
		f.of.data = append(f.of.data, p[:n]...)
		f.at = int64(len(f.of.data))
		return n, err
	}
	f.of.data = append(f.of.data, p...)
	f.at = int64(len(f.of.data))
	return len(p), nil
}

// Seek only tells where the file is.
func (f *memFile) Seek(int64, int) (int64, error) { return f.at, nil }

func (f *memFile) ReadAt(p []byte, offset int64) (int, error) {
	f.disk.wait()
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if offset >= int64(len(f.of.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.of.data[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Sync that fails forgets what was written since the last one, as file systems do, and says yes the next time.
func (f *memFile) Sync() error {
	f.disk.wait()
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.syncErr; err != nil {
		f.of.data = append(f.of.data[:f.of.synced:f.of.synced], make([]byte, len(f.of.data)-f.of.synced)...)
		f.of.synced = len(f.of.data)
		return err
	}
	f.of.synced = len(f.of.data)
	return nil
}

func (*memFile) Close() error { return nil }

func (f *memFile) size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.of.data)), nil
}

var diskErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ESTALE, errors.New("something else")}
