// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// onTmpfs puts the rig's directory on a file system of that size.
func (r *rig) onTmpfs(t *testing.T, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", r.dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(r.dir, syscall.MNT_DETACH) })
}

// fill uses up what is left of the directory's file system.
func (r *rig) fill(t *testing.T) (release func()) {
	t.Helper()
	path := filepath.Join(r.dir, "filler")
	f, err := os.Create(path)
	must(t, err)
	for _, size := range []int{1 << 20, 1 << 12, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	must(t, f.Close())
	return func() { must(t, os.Remove(path)) }
}

func TestFaultDiskFull(t *testing.T) {
	r := newRig(t)
	r.onTmpfs(t, "size=8m,mode=0700")
	r.start(t)
	r.mustSend(t, 10)
	release := r.fill(t)
	began := time.Now()
	for range 20 {
		r.mustSend(t, 100)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("producers waited %v for a full disk", took)
	}
	r.awaitDelivered(t, 20*time.Second) // from memory
	release()
	for range 5 {
		r.mustSend(t, 10)
	}
	r.collector.Line(t, 20*time.Second, "the disk works again")
	r.awaitDelivered(t, 20*time.Second)
	r.stop(t)
	same(t, "the backend", r.atBackend(), r.answered)
	same(t, "traces.jsonl", r.inFile(t, otlpfile.Damaged), r.answered)
	if got := r.traces(t); got.Accepted != 2060 || got.Delivered != 2060 || got.Lost != 0 {
		t.Errorf("traces: %+v", got)
	}
}

// A disk that is full for good: the backend has everything, and the stop does not wait.
func TestFaultDiskFullAtTheEnd(t *testing.T) {
	r := newRig(t)
	r.onTmpfs(t, "size=4m,mode=0700")
	r.start(t)
	r.mustSend(t, 10)
	r.fill(t)
	for range 20 {
		r.mustSend(t, 100)
	}
	r.awaitDelivered(t, 20*time.Second)
	if took := r.stop(t); took > 5*time.Second {
		t.Errorf("gone after %v", took)
	}
	same(t, "the backend", r.atBackend(), r.answered)
}
