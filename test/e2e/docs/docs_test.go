// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package docs runs the commands of docs/user, as a user on a cluster would: the built
// programs, a private real Slurm, a stand-in backend.
package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/docs"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/netns"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/slurmcluster"
)

func TestMain(m *testing.M) { os.Exit(netns.Run(m.Run)) }

const (
	userDocs = "../../../docs/user"
	token    = "s3cr3t-canary"
)

// What the documentation presupposes: the site's file, and what the user makes of the
// first one of their own.
const siteFile = `
otel:
  endpoint: %s
  service_name: my-eval-service
  scrape_interval_seconds: 1
  gpu_metrics_port: null
  node_metrics_port: null
`

const runFile = `
services:
  policy: {type: vllm, model: Org/Tiny-0.1B, served_model_name: tiny, port: 8000, container: null}
compute:
  testcluster:
    type: slurm
    account: eval
    node_pools: {gpu: {partition: batch, gpus_per_node: 8}}
    extra_args: {exclusive: ""}
driver:
  policy_model: policy
  container: null
  benchmarks:
    gpqa:
      command: driver --engine http://localhost:8000 --model tiny --duration 4s --concurrency 2 --otlp-http http://localhost:4318
job:
  output_path: %q
`

// desk is where a user sits.
type desk struct {
	dir     string
	env     []string
	backend *ingest.Server
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	cluster := slurmcluster.Start(t, slurmcluster.Options{})
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed, and the documentation's examples need it")
	}
	programs := t.TempDir()
	for name, pkg := range map[string]string{
		"gym-submit": "cmd/gym-submit", "gym-otelcol": "cmd/gym-otelcol", "vllm": "test/engine", "driver": "test/driver",
	} {
		proc.Build(t, programs, pkg, name)
	}
	d := &desk{dir: t.TempDir(), backend: ingest.Start(t, ingest.Options{Token: token})}
	d.write(t, "site.yaml", fmt.Sprintf(siteFile, d.backend.URL))
	d.write(t, "edited.yaml", fmt.Sprintf(runFile, filepath.Join(d.dir, "runs")))
	d.env = slices.Concat(cluster.Command("true").Env, []string{
		"PATH=" + programs + ":" + os.Getenv("PATH"), "XDG_STATE_HOME=" + filepath.Join(d.dir, "state"), "HOME=" + d.dir,
		"GYM_SUBMIT_SITE=" + filepath.Join(d.dir, "site.yaml"),
	})
	return d
}

func (d *desk) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// follow runs all blocks of a file in one shell, one after another, with the token on
// standard input for whoever asks. Each block has to succeed and to print something.
func (d *desk) follow(t *testing.T, file string, env ...string) {
	t.Helper()
	blocks, err := docs.Blocks(filepath.Join(userDocs, file))
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no commands to run", file)
	}
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for _, b := range blocks {
		fmt.Fprintf(&script, "echo '%s%s:%d'\n%s", marker, file, b.Line, b.Text)
		if slices.Contains(b.Words, "edit") {
			script.WriteString("cp edited.yaml run.yaml\n") // what the user makes of it
		}
	}
	path := filepath.Join(d.dir, file+".sh")
	d.write(t, file+".sh", script.String())
	cmd := exec.Command("bash", path)
	cmd.Dir, cmd.Env = d.dir, slices.Concat(d.env, env)
	cmd.Stdin = strings.NewReader(token + "\n")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, out.String())
	}
	t.Logf("%s", out.String())
	printed := strings.Split(out.String(), marker)[1:]
	if len(printed) != len(blocks) {
		t.Fatalf("%d of %d blocks ran\n%s", len(printed), len(blocks), out.String())
	}
	for _, text := range printed {
		where, result, _ := strings.Cut(text, "\n")
		if strings.TrimSpace(result) == "" {
			t.Errorf("the commands at %s print nothing", where)
		}
	}
	if strings.Contains(out.String(), token) {
		t.Errorf("%s: the token was printed", file)
	}
}

// marker comes before what a block prints.
const marker = "=====> "

func (d *desk) submit(t *testing.T) {
	t.Helper()
	cmd := exec.Command("bash", "-c", "gym-submit -c run.yaml && gym-submit wait --timeout 2m")
	cmd.Dir, cmd.Env = d.dir, slices.Concat(d.env, []string{"OTEL_TOKEN=" + token})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestUserDocumentation(t *testing.T) {
	d := newDesk(t)
	t.Run("first run", func(t *testing.T) { d.follow(t, "first-run.md") })
	t.Run("reading a run", func(t *testing.T) { d.follow(t, "reading-a-run.md") })
	t.Run("what to do when", func(t *testing.T) {
		d.backend.SetFaults(ingest.Faults{Status: 503})
		d.submit(t)
		d.backend.SetFaults(ingest.Faults{})
		before := len(d.backend.Metrics())
		d.follow(t, "what-to-do-when.md", "OTEL_TOKEN="+token)
		if len(d.backend.Metrics()) == before {
			t.Error("the replay of the documentation sent nothing")
		}
	})
	// A file that no test follows could say anything.
	files, err := filepath.Glob(filepath.Join(userDocs, "*.md"))
	if err != nil || len(files) != 3 {
		t.Errorf("docs/user has %d files, the test follows 3 (%v)", len(files), err)
	}
}
