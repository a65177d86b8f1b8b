// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

var measure = flag.Bool("measure", false, "measure what docs/measurements.md quotes, and print it")

// TestMeasure prints figures and judges none of them: `make measure`.
func TestMeasure(t *testing.T) {
	if !*measure {
		t.Skip("measures only with -measure (make measure)")
	}
	info, err := os.Stat(filepath.Join(programs, "gym-otelcol"))
	if err != nil {
		t.Fatal(err)
	}
	figure("size of the static binary", "%.1f MB", float64(info.Size())/1e6)
	t.Run("start", measureStart)
	t.Run("job", func(t *testing.T) {
		everySite(t, measureJob)
	})
	t.Run("memory", measureMemory)
	t.Run("replay", measureReplay)
}

func figure(what, format string, value ...any) {
	fmt.Printf("figure: %-70s "+format+"\n", append([]any{what}, value...)...)
}

// measureStart times the collector from exec to its first healthy answer.
func measureStart(t *testing.T) {
	var times []time.Duration
	for range 7 {
		began := time.Now()
		stop := startCollector(t, "null", "null", "8000")
		times = append(times, time.Since(began))
		stop()
	}
	figure("exec to healthy, median of 7", "%v", median(times).Round(time.Millisecond))
}

// startCollector runs the collector of a job without the job and returns when it is healthy.
func startCollector(t *testing.T, gpu, node, engine string) (stop func()) {
	t.Helper()
	f := newFixture(t, &localSite{})
	f.Otel["gpu_metrics_port"], f.Otel["node_metrics_port"], f.Otel["scrape_interval_seconds"] = gpu, node, "5"
	cmd := exec.Command(filepath.Join(programs, "gym-submit"), "-c", f.file(t), "--resolve-only", "services.policy.port="+engine)
	resolved, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rendered, _ := strings.Cut(string(resolved), "\n---\n")
	_, directory, found := strings.Cut(rendered, "directory: ")
	directory, _, _ = strings.Cut(directory, "\n")
	if !found {
		t.Fatalf("no directory of the journal:\n%s", rendered)
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.dir, "collector.yaml")
	if err := os.WriteFile(path, []byte(rendered), 0o600); err != nil {
		t.Fatal(err)
	}
	collector := exec.Command(filepath.Join(programs, "gym-otelcol"), "--config", path)
	collector.Env = append(os.Environ(), "OTEL_TOKEN=token", "SLURM_JOB_ID=1", "GOMEMLIMIT=400MiB")
	if err := collector.Start(); err != nil {
		t.Fatal(err)
	}
	wait.For(t, 30*time.Second, func() error {
		answer, err := http.Get("http://localhost:13133/")
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("the collector answers %s", answer.Status)
		}
		return nil
	})
	collectorPID = collector.Process.Pid
	return func() {
		_ = collector.Process.Signal(os.Interrupt)
		_ = collector.Wait()
	}
}

var collectorPID int

// measureJob times the parts of a whole job that are not the benchmark's own.
func measureJob(t *testing.T, at site) {
	var starts, ends, idles []time.Duration
	for range 5 {
		f := newFixture(t, at)
		f.Command = chattyDriver
		r := f.run(t)
		at.idle(t)
		idle := time.Now()
		starts = append(starts, logged(t, r.log, "starting policy").Sub(logged(t, r.log, "starting the collector")))
		ended := driverEnded(t, r)
		ends = append(ends, logged(t, r.log, "ends with code").Sub(ended))
		idles = append(idles, idle.Sub(ended))
	}
	figure(t.Name()+": collector step to the first service's start, median of 5", "%v", median(starts).Round(time.Millisecond))
	figure(t.Name()+": driver's exit to the job's end, median of 5", "%v", median(ends).Round(time.Millisecond))
	figure(t.Name()+": driver's exit to nothing left and the node idle, median of 5", "%v", median(idles).Round(time.Millisecond))
}

// logged is the time of the first line of a job's log that says something.
func logged(t *testing.T, log, text string) time.Time {
	t.Helper()
	for line := range strings.Lines(log) {
		if strings.Contains(line, text) {
			clock, _, _ := strings.Cut(line, " ")
			at, err := time.ParseInLocation("2006-01-02 15:04:05.000", time.Now().Format("2006-01-02 ")+clock, time.Local)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatalf("the log does not say %q:\n%s", text, log)
	return time.Time{}
}

// measureMemory lets the collector scrape three real pages each 5 s for a minute.
func measureMemory(t *testing.T) {
	captures := "../../components/gymprocessor/testdata/"
	stop := startCollector(t, replay(t, captures+"dcgm-exporter-gb200-4gpu.prom"),
		replay(t, captures+"node_exporter-1.5.0-debian.prom"), replay(t, captures+"vllm-v1-qwen2.5-3b-t1.prom"))
	defer stop()
	var peak int
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		peak = max(peak, proc.Memory(collectorPID, "VmRSS:"))
	}
	figure("resident memory over a minute of scrapes each 5 s, peak", "%.1f MB (anonymous %.1f MB at the end)",
		float64(peak)/1e3, float64(proc.Memory(collectorPID, "RssAnon:"))/1e3)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
