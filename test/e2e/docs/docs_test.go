// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package docs runs the commands of the documentation for users, as a user on a cluster would:
// the built programs, a private real Slurm, a private sshd, a stand-in backend.
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

func TestMain(m *testing.M) {
	os.Exit(netns.Run(func() int {
		defer func() { _ = os.RemoveAll(programs) }()
		return m.Run()
	}))
}

// programs is where the built ones are; the first test that needs them builds them.
var programs string

const token = "s3cr3t-canary"

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

const services = `
services:
  policy: {type: vllm, model: Org/Tiny-0.1B, served_model_name: tiny, port: 8000, container: null}
`

const here = `
compute:
  testcluster:
    type: slurm
    account: eval
    node_pools: {gpu: {partition: batch, gpus_per_node: 8}}
    extra_args: {exclusive: ""}
`

const driver = `
driver:
  policy_model: policy
  container: null
  benchmarks:
    gpqa:
      command: %q
job:
  output_path: %q
`

const requests = "driver --engine http://localhost:8000 --model tiny --duration 4s --concurrency 2 --otlp-http http://localhost:4318"

// desk is where a user sits.
type desk struct {
	dir      string
	env      []string
	programs string
	cluster  *slurmcluster.Cluster
	backend  *ingest.Server
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	cluster := slurmcluster.Start(t, slurmcluster.Options{})
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed, and the documentation's examples need it")
	}
	d := &desk{dir: t.TempDir(), programs: builtPrograms(t), cluster: cluster, backend: ingest.Start(t, ingest.Options{Token: token})}
	d.write(t, "site.yaml", fmt.Sprintf(siteFile, d.backend.URL))
	d.env = slices.Concat(cluster.Command("true").Env, []string{
		"PATH=" + d.programs + ":" + os.Getenv("PATH"), "XDG_STATE_HOME=" + filepath.Join(d.dir, "state"), "HOME=" + d.dir,
		"GYM_SUBMIT_SITE=" + filepath.Join(d.dir, "site.yaml"),
	})
	return d
}

func builtPrograms(t *testing.T) string {
	t.Helper()
	if programs != "" {
		return programs
	}
	dir, err := os.MkdirTemp("", "gym-docs-") //nolint:usetesting // it outlives the test
	if err != nil {
		t.Fatal(err)
	}
	for name, pkg := range map[string]string{
		"gym-submit": "cmd/gym-submit", "gym-otelcol": "cmd/gym-otelcol", "vllm": "test/engine", "driver": "test/driver",
	} {
		proc.Build(t, dir, pkg, name)
	}
	programs = dir
	return dir
}

func (d *desk) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// runs is where the user's runs are.
func (d *desk) runs() string { return filepath.Join(d.dir, "runs") }

// follow runs blocks in one shell, one after another, with the token on standard input for
// whoever asks. Each block has to succeed and to print something.
func (d *desk) follow(t *testing.T, blocks []docs.Block, env ...string) string {
	t.Helper()
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for _, b := range blocks {
		fmt.Fprintf(&script, "echo '%s%s:%d'\n%s", marker, filepath.Base(b.File), b.Line, b.Text)
		if b.Label() == "edit" {
			script.WriteString("cp edited.yaml run.yaml\n") // what the user makes of it
		}
	}
	d.write(t, "commands.sh", script.String())
	cmd := exec.Command("bash", filepath.Join(d.dir, "commands.sh"))
	cmd.Dir, cmd.Env = d.dir, slices.Concat(d.env, env)
	cmd.Stdin = strings.NewReader(token + "\n")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
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
		t.Error("the token was printed")
	}
	return out.String()
}

// marker comes before what a block prints.
const marker = "=====> "

// want expects parts of what was printed, in this order.
func want(t *testing.T, out string, parts ...string) {
	t.Helper()
	rest := out
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("want %q, after what comes before it in %q, in\n%s", part, parts, out)
			return
		}
		rest = after
	}
}
