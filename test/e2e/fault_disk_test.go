// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
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

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
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
	r.collector.Line(t, stopLimit, "Shutdown complete")
	thaw()
	r.collector.Wait(t, 10*time.Second)
	same(t, "the backend", r.atBackend(), r.answered)
}

// onOwnDisk is a gym-otelcol that first puts another file system over its otel directory, with the files in it.
func onOwnDisk(t *testing.T, mount, edit string) string {
	t.Helper()
	return script(t, `case "$1" in components) exec "`+programs+`/gym-otelcol" "$@" ;; esac
cp -a otel otel-before && `+mount+` && cp -a otel-before/. otel/ && sed -i '`+edit+`' otel/collector.yaml || exit 1
exec "`+programs+`/gym-otelcol" "$@"`)
}

// unmountOtel lets go of the file systems that onOwnDisk has mounted.
func unmountOtel(t *testing.T, f *fixture) {
	t.Helper()
	t.Cleanup(func() {
		found, _ := filepath.Glob(filepath.Join(f.dir, "runs", "*", "*", "otel"))
		for _, dir := range found {
			_ = syscall.Unmount(dir, syscall.MNT_DETACH)
		}
	})
}

// The only loss that there is stands in the job's log.
func TestFaultJobNamesWhatIsLost(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system")
	}
	f := newFixture(t, &localSite{})
	unmountOtel(t, f)
	f.backend.SetFaults(ingest.Faults{Status: http.StatusServiceUnavailable})
	f.Otel["binary"] = onOwnDisk(t, "mount -t tmpfs -o size=8m,mode=0700 none otel", `s/^  journal:/&\n    cache_size: 1048576/`)
	request := filepath.Join(f.dir, "request")
	must(t, os.WriteFile(request, spanRequest(t, 500), 0o600))
	f.Command = `dd if=/dev/zero of=otel/filler bs=4k 2>/dev/null || true
for i in $(seq 120); do bash -c 'exec 3<>/dev/tcp/localhost/4318 && cat ` + request + ` >&3 && read -r _ status _ <&3 && test "$status" = 200' || exit 3; done
rm otel/filler
exit 7`
	r := f.run(t)
	if r.codes["gpqa"] != 7 {
		t.Errorf("exit code %d, want the driver's 7; 3 is a producer that was refused\n%s", r.codes["gpqa"], r.log)
	}
	file, err := delivery.Load(filepath.Join(r.dir, "otel"))
	must(t, err)
	got := file.Signals[otlpfile.Traces]
	if got.Check() != nil || got.Accepted != 120*500 || got.Lost == 0 {
		t.Errorf("traces: %+v, want some of 60000 lost", got)
	}
	if want := fmt.Sprintf(", %d LOST", got.Lost); !strings.Contains(r.log, want) || !strings.Contains(r.log, "gym-submit replay") || strings.Contains(r.log, "files with all of it") {
		t.Errorf("the job's log lacks %q, or the command for the rest:\n%s", want, r.log)
	}
}

// spanRequest is an HTTP request with n spans, as it goes over the wire.
func spanRequest(t *testing.T, n int) []byte {
	t.Helper()
	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for range n {
		spans.AppendEmpty().SetName("a span")
	}
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalJSON()
	must(t, err)
	return append(fmt.Appendf(nil, "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)), body...)
}

// A disk that hangs for good keeps the collector alive whatever is sent to it. The job ends all the same.
func TestFaultCollectorThatCannotBeKilled(t *testing.T) {
	if !*long {
		t.Skip("takes more than half a minute; runs with -long (make faults)")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system")
	}
	f := newFixture(t, &localSite{})
	unmountOtel(t, f)
	image := filepath.Join(f.dir, "disk")
	f.Otel["binary"] = onOwnDisk(t, "truncate -s 64M "+image+" && mkfs.ext4 -q "+image+" && mount -o loop "+image+" otel", "")
	f.Command = "fsfreeze --freeze otel; sleep 3; date +%s.%N >driver-ended; exit 7"
	submitted := f.start(t)
	thaw := func() {
		found, _ := filepath.Glob(filepath.Join(f.dir, "runs", "*", "*", "otel"))
		for _, dir := range found {
			_ = exec.Command("fsfreeze", "--unfreeze", dir).Run() // an error when it is none
		}
	}
	t.Cleanup(thaw) // before anybody waits for the end of the collector
	wait.For(t, 90*time.Second, func() error {
		found, _ := filepath.Glob(filepath.Join(f.dir, "runs", "*", "*", "logs", "job-*.log"))
		for _, path := range found {
			if strings.Contains(readFile(t, path), "ends with code") {
				return nil
			}
		}
		return errors.New("the job has not ended")
	})
	thaw() // gym-submit, which ran the job here, waits for all of its processes
	r := f.finish(t, submitted)
	endedSoon(t, r)
	if !strings.Contains(r.log, "the collector cannot be killed") {
		t.Errorf("the job's log does not say it:\n%s", r.log)
	}
}
