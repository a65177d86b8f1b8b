// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// TestFaultCrashEnumeration kills the shipped program at its first, second, … write, fsync and rename, and lets each
// of them fail once and for ever. Afterwards the program starts again, healthy, and everything that a producer was
// answered has to be in the file and at the backend.
func TestFaultCrashEnumeration(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	if err := exec.Command("strace", "-o", "/dev/null", "true").Run(); err != nil {
		t.Skipf("strace cannot trace here: %v", err)
	}
	kinds := map[string]struct {
		calls  string // as strace names them
		onFile bool   // of traces.jsonl alone
		points []int
	}{
		"write":  {"write", true, []int{1, 2, 3, 6}},
		"fsync":  {"fsync", false, []int{1, 2, 3, 4, 5, 7, 9, 12, 16}},
		"rename": {"/^rename", false, []int{1, 2, 3, 5}},
	}
	for name, kind := range kinds {
		for _, point := range kind.points {
			crash(t, fmt.Sprintf("%s %d, killed", name, point), kind.calls, kind.onFile, fmt.Sprintf("signal=KILL:when=%d", point))
		}
		for _, failure := range []string{"ENOSPC", "EIO", "ESTALE"} {
			crash(t, name+" fails once with "+failure, kind.calls, kind.onFile, "error="+failure+":when=2")
			crash(t, name+" fails for ever with "+failure, kind.calls, kind.onFile, "error="+failure+":when=2+")
		}
	}
	crash(t, "write is short", "write", true, "retval=100:when=2")
}

func crash(t *testing.T, name, calls string, onFile bool, what string) {
	t.Run(name, func(t *testing.T) {
		r := newRig(t)
		r.edit = func(config string) string {
			return strings.Replace(config, "\n  journal:\n", "\n  journal:\n    sync_interval: 30ms\n    status_interval: 40ms\n    stop_timeout: 5s\n", 1)
		}
		r.under = []string{"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls, "-e", "inject=" + calls + ":" + what}
		if onFile {
			r.under = append(r.under, "-P", filepath.Join(r.dir, "traces.jsonl"))
		}
		r.launch(t)
		killed := strings.HasPrefix(what, "signal=")
		if healthy(t, r) {
			for range 12 {
				if err := r.send(5, "span-"); err != nil {
					if !killed {
						t.Errorf("a producer was refused: %v", err)
					}
					break
				}
				time.Sleep(15 * time.Millisecond) // so that syncs and records come in between
			}
			r.end(t)
		} else if !killed {
			t.Fatal("the collector did not start")
		}
		answered := len(r.answered)

		r.under = nil
		r.start(t)
		r.mustSend(t, 5)
		r.awaitDelivered(t, 20*time.Second)
		r.stop(t)
		t.Logf("%d spans were answered before the fault", answered)
		// A span that arrived and whose answer was lost may be there as well.
		if missing := without(r.answered, r.atBackend()); missing > 0 {
			t.Errorf("the backend lacks %d of %d spans", missing, len(r.answered))
		}
		// With retval= the call is not made, so the line really lacks these bytes: it counts as damaged.
		tolerated := strings.Contains(what, "+") || strings.Contains(what, "retval=")
		if missing := without(r.answered, r.inFile(t, otlpfile.Damaged)); missing > 0 && !tolerated {
			t.Errorf("traces.jsonl lacks %d of %d spans", missing, len(r.answered))
		}
		if got := r.traces(t); got.Undelivered != 0 {
			t.Errorf("traces: %+v", got)
		}
	})
}

// healthy waits until the collector is, or has ended.
func healthy(t *testing.T, r *rig) (is bool) {
	t.Helper()
	wait.For(t, 30*time.Second, func() error {
		select {
		case <-r.collector.Done():
			return nil
		default:
		}
		answer, err := http.Get(url(r.ports.health, "/"))
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if is = answer.StatusCode == http.StatusOK; !is {
			return fmt.Errorf("status %s", answer.Status)
		}
		return nil
	})
	return is
}

// end stops the traced collector: the signal goes to the group, and strace passes nothing on.
func (r *rig) end(t *testing.T) {
	t.Helper()
	_ = syscall.Kill(-r.collector.PID(), syscall.SIGTERM)
	r.collector.Wait(t, stopLimit)
}
