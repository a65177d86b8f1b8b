// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// collectorProcess is a collector of its own process, so that its processor time and memory are its own.
type collectorProcess struct {
	cmd  *exec.Cmd
	log  *bytes.Buffer
	done chan struct{}
	stop func()
}

// gymOtelcol builds the shipped collector, once.
var gymOtelcol = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gym-bench-")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "gym-otelcol")
	out, err := exec.Command("go", "build", "-C", "..", "-ldflags", "-s -w", "-o", binary, "./cmd/gym-otelcol").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build gym-otelcol: %w\n%s", err, out)
	}
	return binary, nil
})

// startGym starts the shipped collector with configuration texts that are merged in order.
func startGym(tb testing.TB, configs ...string) *collectorProcess {
	tb.Helper()
	binary, err := gymOtelcol()
	require.NoError(tb, err)
	return start(tb, exec.Command(binary), configs)
}

// startUpstream starts the stock components, which are compiled into this test binary; see TestMain.
func startUpstream(tb testing.TB, config string) *collectorProcess {
	tb.Helper()
	self, err := os.Executable()
	require.NoError(tb, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), upstreamMarker+"=1")
	return start(tb, cmd, []string{config})
}

func start(tb testing.TB, cmd *exec.Cmd, configs []string) *collectorProcess {
	tb.Helper()
	dir := tb.TempDir()
	for i, config := range configs {
		file := filepath.Join(dir, fmt.Sprintf("collector-%d.yaml", i))
		require.NoError(tb, os.WriteFile(file, []byte(config), 0o600))
		cmd.Args = append(cmd.Args, "--config", file)
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "BENCH_TOKEN=token", "SLURM_JOB_ID=1", "GOMEMLIMIT=1GiB")
	c := &collectorProcess{cmd: cmd, log: new(bytes.Buffer), done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = c.log, c.log
	require.NoError(tb, cmd.Start())
	go func() {
		_ = cmd.Wait()
		close(c.done)
	}()
	c.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(unix.SIGTERM)
		<-c.done
	})
	tb.Cleanup(c.stop)
	return c
}

// processorTime is what the process has used so far, all its threads together.
func (c *collectorProcess) processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	c.requireAlive(tb)
	// The clock of another process; see clock_getcpuclockid(3).
	clock := int32(^c.cmd.Process.Pid<<3 | 2)
	var t unix.Timespec
	require.NoError(tb, unix.ClockGettime(clock, &t))
	return time.Duration(t.Nano())
}

// anonymousMemory is what the process holds now that is not a file of its own, in bytes.
func (c *collectorProcess) anonymousMemory(tb testing.TB) int64 {
	tb.Helper()
	c.requireAlive(tb)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	require.NoError(tb, err)
	_, rest, found := strings.Cut(string(status), "RssAnon:")
	require.True(tb, found, "no RssAnon in /proc/<pid>/status")
	var kilobytes int64
	_, err = fmt.Sscan(rest, &kilobytes)
	require.NoError(tb, err)
	return kilobytes << 10
}

func (c *collectorProcess) requireAlive(tb testing.TB) {
	tb.Helper()
	select {
	case <-c.done:
		require.Fail(tb, "the collector ended", c.log.String())
	default:
	}
}

// awaitHealthy waits until the OTLP receiver takes an empty request, which is when all of it runs.
func (c *collectorProcess) awaitHealthy(tb testing.TB, address string) {
	tb.Helper()
	await(tb, 30*time.Second, "the collector takes OTLP", func() bool {
		c.requireAlive(tb)
		resp, err := http.Post("http://"+address+"/v1/metrics", "application/x-protobuf", http.NoBody)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

func await(tb testing.TB, limit time.Duration, what string, done func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(limit); !done(); time.Sleep(10 * time.Millisecond) {
		require.True(tb, time.Now().Before(deadline), "not within %s: %s", limit, what)
	}
}
