// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
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

// onFrozenDisk puts the rig's directory on a file system that can be made to hang: every call that would write to it
// waits, and cannot be killed, until it is thawed.
func (r *rig) onFrozenDisk(t *testing.T) (freeze func() (thaw func())) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "disk")
	for _, command := range [][]string{
		{"truncate", "-s", "64M", image},
		{"mkfs.ext4", "-q", image},
		{"mount", "-o", "loop", image, r.dir},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no file system can be made here: %s: %v: %s", command[0], err, out)
		}
	}
	t.Cleanup(func() { _ = syscall.Unmount(r.dir, syscall.MNT_DETACH) })
	return func() func() {
		t.Helper()
		must(t, exec.Command("fsfreeze", "--freeze", r.dir).Run())
		thaw := sync.OnceFunc(func() { _ = exec.Command("fsfreeze", "--unfreeze", r.dir).Run() })
		t.Cleanup(thaw) // before the collector is killed, which it cannot be before
		return thaw
	}
}

// disks are the two ways in which a disk takes nothing. Each is prepared before the collector starts, and spoilt and
// repaired while it runs.
var disks = map[string]func(t *testing.T, r *rig) (spoil func() (repair func())){
	"full": func(t *testing.T, r *rig) func() func() {
		r.onTmpfs(t, "size=16m,mode=0700")
		return func() func() { return r.fill(t) }
	},
	"hangs": func(t *testing.T, r *rig) func() func() { return r.onFrozenDisk(t) },
}

func TestFaultDisk(t *testing.T) {
	t.Parallel()
	for name, disk := range disks {
		t.Run(name, func(t *testing.T) {
			r := newRigApart(t)
			spoil := disk(t, r)
			r.start(t)
			r.mustSend(t, 10)
			repair := spoil()
			began := time.Now()
			for range 20 {
				r.mustSend(t, 100)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("producers waited %v for the disk", took)
			}
			r.keepSending(t, 10, 100*time.Millisecond, lasting(2*time.Second, 20*time.Second))
			r.awaitDelivered(t, 20*time.Second) // from memory
			repair()
			for range 5 {
				r.mustSend(t, 10)
			}
			r.collector.Line(t, 20*time.Second, "the disk works again")
			r.awaitDelivered(t, 20*time.Second)
			r.stop(t)
			same(t, "the backend", r.atBackend(), r.answered)
			same(t, "traces.jsonl", r.inFile(t, otlpfile.Damaged), r.answered)
			all := int64(len(r.answered))
			if got := r.traces(t); got.Accepted != all || got.Delivered != all || got.Lost+got.Unwritten != 0 {
				t.Errorf("traces: %+v, want %d delivered", got, all)
			}
		})
	}
}

// Disk and backend away together until memory is full is the only way to lose something, and then it is said.
func TestFaultDiskAndBackend(t *testing.T) {
	t.Parallel()
	for name, disk := range disks {
		t.Run(name, func(t *testing.T) {
			r := newRigApart(t)
			r.edit = smallCache
			spoil := disk(t, r)
			r.start(t)
			r.mustSend(t, 10)
			r.awaitDelivered(t, 10*time.Second)
			r.f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
			repair := spoil()
			for range 300 {
				r.mustSend(t, 100)
			}
			r.collector.Line(t, 10*time.Second, "items are lost")
			r.keepSending(t, 10, 100*time.Millisecond, lasting(0, 20*time.Second))
			repair()
			r.f.backend.SetFaults(ingest.Faults{})
			r.collector.Line(t, 20*time.Second, "the disk works again")
			r.mustSend(t, 10)
			r.stop(t)
			got := r.traces(t)
			all, there := int64(len(r.answered)), int64(len(r.atBackend()))
			if got.Accepted != all || got.Delivered != there || got.Lost != all-there || got.Lost == 0 {
				t.Errorf("traces: %+v; %d spans were answered, the backend has %d", got, all, there)
			}
			if there < 1000 {
				t.Errorf("only %d spans were kept in memory", there)
			}
			same(t, "traces.jsonl", r.inFile(t, otlpfile.Damaged), r.atBackend())
		})
	}
}

// smallCache lets memory be full soon.
func smallCache(config string) string {
	return strings.Replace(config, "\n  journal:\n", "\n  journal:\n    cache_size: 1048576\n", 1)
}

// A disk that is full for good, or hangs for good: the backend has everything, and the stop does not wait.
func TestFaultDiskFullAtTheEnd(t *testing.T) {
	r := newRigApart(t)
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

func TestFaultDiskHangsAtTheEnd(t *testing.T) {
	r := newRigApart(t)
	freeze := r.onFrozenDisk(t)
	r.start(t)
	r.mustSend(t, 10)
	thaw := freeze()
	for range 20 {
		r.mustSend(t, 100)
	}
	r.awaitDelivered(t, 20*time.Second)
	r.collector.Signal(t, syscall.SIGTERM)
	// The kernel keeps the process until its last write returns. All that it can do itself it has done by then.
	wait.For(t, stopLimit, func() error {
		if state := strings.Fields(readFile(t, fmt.Sprintf("/proc/%d/stat", r.collector.PID())))[2]; state != "Z" {
			return fmt.Errorf("the collector is in state %s", state)
		}
		return nil
	})
	thaw()
	r.collector.Wait(t, 10*time.Second)
	same(t, "the backend", r.atBackend(), r.answered)
	r.replay(t) // of what delivery.json could not be told
	same(t, "the backend", r.atBackend(), r.answered)
}
