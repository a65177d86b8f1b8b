// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

// canary is a part of the token that no quoting changes and no other run of the tests has.
var canary = rand.Text()

// token holds everything that a shell, YAML, the collector's expansion or JSON might change.
var token = `a$b${HOME}c$$d 'e"` + canary

// site is where jobs run: the compute section of the submit file, and how jobs are followed.
type site interface {
	// compute is the compute section, with the given walltime.
	compute(walltime string) string
	// environ is what gym-submit needs beyond the environment of the test.
	environ() []string
	// wait returns the exit code of each benchmark's job once all have ended.
	wait(t *testing.T, s *submitted) map[string]int
	// stop tells the script of the first job to stop.
	stop(t *testing.T, s *submitted, signal syscall.Signal)
	// showsNothing fails when the scheduler shows text for a job.
	showsNothing(t *testing.T, job, text string)
	// idle fails unless nothing of the jobs is left.
	idle(t *testing.T)
}

// everySite runs a test with local compute and on real Slurm.
func everySite(t *testing.T, test func(t *testing.T, at site)) {
	t.Run("local", func(t *testing.T) { test(t, &localSite{}) })
	t.Run("slurm", func(t *testing.T) { test(t, newSlurmSite(t)) })
}

// fixture is one submit file with what its job meets.
type fixture struct {
	at      site
	dir     string
	backend *ingest.Server
	pages   string // the engine's page log

	// Parts of the submit file that tests change.
	Command   string            // of the only benchmark, gpqa
	Walltime  string            // empty: none
	NoService bool              // a driver alone
	Engine    map[string]string // environment of the engine
	Health    int               // seconds
	Otel      map[string]string // keys of the otel section, in YAML
	Env       []string          // of gym-submit
}

func newFixture(t *testing.T, at site) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{
		at:      at,
		dir:     dir,
		backend: ingest.Start(t, ingest.Options{}),
		pages:   filepath.Join(dir, "pages.jsonl"),
		Command: "driver --engine http://localhost:8000 --model tiny --duration 2s --exit 7",
		Health:  30,
	}
	f.Engine = map[string]string{"ENGINE_PAGE_LOG": f.pages}
	f.Otel = map[string]string{
		"endpoint":                f.backend.URL,
		"service_name":            "gym-eval-service",
		"scrape_interval_seconds": "1",
		"gpu_metrics_port":        "null",
		"node_metrics_port":       "null",
	}
	return f
}

// file is the submit file.
func (f *fixture) file(t *testing.T) string {
	t.Helper()
	services, policy := fmt.Sprintf(`services:
  policy:
    type: vllm
    container: null
    model: Org/Tiny-0.1B
    served_model_name: tiny
    port: 8000
    health_check: {timeout_seconds: %d}
    env: %s
`, f.Health, asJSON(t, f.Engine)), "policy"
	if f.NoService {
		services, policy = "services: {}\n", "null"
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `%scompute:
  testcluster:
%sdriver:
  container: null
  policy_model: %s
  benchmarks:
    gpqa:
      command: %s
job:
  output_path: %s
otel:
`, services, f.at.compute(f.Walltime), policy, asJSON(t, f.Command), asJSON(t, filepath.Join(f.dir, "runs")))
	for _, key := range sortedKeys(f.Otel) {
		fmt.Fprintf(&out, "  %s: %s\n", key, f.Otel[key])
	}
	path := filepath.Join(f.dir, "run.yaml")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// submitted is one call of gym-submit.
type submitted struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan error
}

// start calls gym-submit with the token in its environment.
func (f *fixture) start(t *testing.T, args ...string) *submitted {
	t.Helper()
	s := f.prepare(t, args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	return s.begin(t)
}

// startWith sends all output to a file.
func (f *fixture) startWith(t *testing.T, output *os.File) *submitted {
	t.Helper()
	s := f.prepare(t)
	s.cmd.Stdout, s.cmd.Stderr = output, output
	return s.begin(t)
}

func (f *fixture) prepare(t *testing.T, args ...string) *submitted {
	t.Helper()
	s := &submitted{ended: make(chan error, 1)}
	s.cmd = exec.Command(filepath.Join(programs, "gym-submit"), append([]string{"-c", f.file(t)}, args...)...)
	s.cmd.Env = append(testEnviron(), "OTEL_TOKEN="+token, "XDG_STATE_HOME="+filepath.Join(f.dir, "state"))
	s.cmd.Env = append(append(s.cmd.Env, f.at.environ()...), f.Env...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return s
}

func (s *submitted) begin(t *testing.T) *submitted {
	t.Helper()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s
}

// testEnviron is the test's own environment with the test programs first on the PATH.
func testEnviron() []string {
	env := []string{"PATH=" + testPath()}
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "PATH=") && !strings.HasPrefix(e, "SLURM_") {
			env = append(env, e)
		}
	}
	return env
}

// exit waits for gym-submit itself.
func (s *submitted) exit(t *testing.T) int {
	t.Helper()
	select {
	case err := <-s.ended:
		s.ended <- err
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode()
		}
		if err != nil {
			t.Fatal(err)
		}
		return 0
	case <-time.After(2 * time.Minute):
		t.Fatalf("gym-submit did not end\n%s", s.stderr.String())
		return -1
	}
}

// result is a finished job.
type result struct {
	dir string // <job dir>/gpqa
	job string // its id
	// codes are the exit codes of the jobs by benchmark.
	codes map[string]int
	log   string // the job script's output
}

// run submits, waits for the job's end and reads what it left.
func (f *fixture) run(t *testing.T, args ...string) result {
	t.Helper()
	return f.finish(t, f.start(t, args...))
}

func (f *fixture) finish(t *testing.T, s *submitted) result {
	t.Helper()
	r := result{codes: f.at.wait(t, s)}
	r.dir, r.job = f.record(t)
	r.log = readFile(t, filepath.Join(r.dir, "logs", "job-"+r.job+".log"))
	t.Cleanup(func() {
		if t.Failed() {
			f.showLogs(t, r.dir)
		}
	})
	return r
}

// record reads gym-job.json of the only run in the output path.
func (f *fixture) record(t *testing.T) (dir, job string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(f.dir, "runs", "gym-job-*", "gym-job.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no record below %s (%v)", f.dir, err)
	}
	var record struct {
		Benchmarks []struct {
			JobDir string  `json:"job_dir"`
			JobID  *string `json:"job_id"`
		} `json:"benchmarks"`
	}
	if err := json.Unmarshal([]byte(readFile(t, paths[len(paths)-1])), &record); err != nil {
		t.Fatal(err)
	}
	b := record.Benchmarks[0]
	if b.JobID == nil {
		t.Fatalf("the record has no job id: %s", readFile(t, paths[len(paths)-1]))
	}
	return b.JobDir, *b.JobID
}

func (f *fixture) showLogs(t *testing.T, dir string) {
	logs, _ := filepath.Glob(filepath.Join(dir, "logs", "*"))
	for _, path := range logs {
		data, _ := os.ReadFile(path)
		if len(data) > 6000 {
			data = data[len(data)-6000:]
		}
		t.Logf("==== %s\n%s", path, data)
	}
}

// replay serves a capture as an exporter of the node would.
func replay(t *testing.T, path string) (port string) {
	t.Helper()
	data := readFile(t, path)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(data))
	}))
	t.Cleanup(server.Close)
	return server.URL[strings.LastIndexByte(server.URL, ':')+1:]
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
