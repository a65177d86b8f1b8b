// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

func TestTwoJobsOnOneNode(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		first := newFixture(t, at)
		first.Command = "driver --engine http://localhost:8000 --model tiny --duration 120s & wait $!"
		running := first.start(t)
		first.awaitLog(t, "starting the driver")
		firstDir, firstJob := first.record(t)

		second := newFixture(t, at)
		began := time.Now()
		r := second.run(t)
		if r.codes["gpqa"] != 1 {
			t.Errorf("the second job's exit code is %d, want 1", r.codes["gpqa"])
		}
		for _, want := range []string{"port 13133", filepath.Base(filepath.Dir(firstDir)), "job " + firstJob, "otel.enabled"} {
			if !strings.Contains(failureOf(r.log), want) {
				t.Errorf("the second job does not name %q as the reason:\n%s", want, r.log)
			}
		}
		if strings.Contains(r.log, "starting policy") {
			t.Errorf("the second job started its service:\n%s", r.log)
		}
		t.Logf("the second job failed after %v", time.Since(began).Round(time.Millisecond))

		at.stop(t, running, 15)
		one := first.finish(t, running)
		if !strings.Contains(one.log, "the backend has all of it") {
			t.Errorf("the first job was disturbed:\n%s", one.log)
		}
	})
}

func TestPortTakenByAnotherProgram(t *testing.T) {
	for _, port := range []string{"13133", "4317", "4318"} {
		t.Run(port, func(t *testing.T) {
			occupy(t, port)
			f := newFixture(t, &localSite{})
			r := f.run(t)
			if r.codes["gpqa"] != 1 || !strings.Contains(failureOf(r.log), "port "+port) ||
				!strings.Contains(failureOf(r.log), "another program") {
				t.Errorf("exit code %d, want 1 and the port %s named:\n%s", r.codes["gpqa"], port, r.log)
			}
			if strings.Contains(r.log, "starting policy") {
				t.Errorf("the service was started:\n%s", r.log)
			}
			f.at.idle(t)
		})
	}
	t.Run("8888 is nobody's business", func(t *testing.T) {
		occupy(t, "8888")
		r := newFixture(t, &localSite{}).run(t)
		if r.codes["gpqa"] != 7 {
			t.Errorf("exit code %d, want the driver's 7:\n%s", r.codes["gpqa"], r.log)
		}
	})
}

// occupy answers 200 on a port, as some other health check would.
func occupy(t *testing.T, port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "all is well")
	}))
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
}

// failureOf is the line that tells why a job failed.
func failureOf(log string) string {
	_, reason, _ := strings.Cut(log, "FAILED: ")
	line, _, _ := strings.Cut(reason, "\n")
	return line
}

// awaitLog waits until the log of the job script says something.
func (f *fixture) awaitLog(t *testing.T, text string) {
	t.Helper()
	f.awaitLogOf(t, "job", text)
}

// awaitLogOf waits until the log of a step says something.
func (f *fixture) awaitLogOf(t *testing.T, step, text string) {
	t.Helper()
	wait.For(t, time.Minute, func() error {
		paths, _ := filepath.Glob(filepath.Join(f.dir, "runs", "gym-job-*", "gpqa", "logs", step+"-*.log"))
		for _, path := range paths {
			if data, _ := os.ReadFile(path); strings.Contains(string(data), text) {
				return nil
			}
		}
		return fmt.Errorf("no log of %s below %s says %q", step, f.dir, text)
	})
}
