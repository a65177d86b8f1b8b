// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package sshtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/internal/sshd"
)

// Two hundred benchmarks are submitted over one connection, each with its own id.
func TestManyBenchmarks(t *testing.T) {
	const many = 200
	bin := t.TempDir()
	for name, body := range map[string]string{
		"sbatch":      `n=$(basename "$(dirname "$2")"); echo "${n#b}"`,
		"gym-otelcol": `printf 'processors:\n  - name: gym\n'`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := sshd.Start(t, sshd.Options{Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}})
	var file strings.Builder
	fmt.Fprintf(&file, `services: {policy: {type: vllm, container: null, model: m}}
compute: {east: {type: slurm, account: a, hostname: %s, node_pools: {p: {partition: batch}}}}
job: {output_path: %s}
otel: {endpoint: "https://otlp.example.org", service_name: s, binary: %s}
driver:
  policy_model: policy
  container: null
  benchmarks:
`, sshd.Host, filepath.Join(s.Dir, "runs"), filepath.Join(bin, "gym-otelcol"))
	for i := range many {
		fmt.Fprintf(&file, "    b%d: {run: {split: x}}\n", i+1)
	}
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "gym-submit")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/gym-submit").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program, "-c", path)
	cmd.Env = append(os.Environ(), "PATH="+s.Bin+":"+os.Getenv("PATH"), "OTEL_TOKEN=t", "XDG_STATE_HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i := range many {
		if want := fmt.Sprintf("submitted b%d → Slurm job %d\n", i+1, i+1); !strings.Contains(string(out), want) {
			t.Fatalf("the answer lacks %q:\n%s", want, out)
		}
	}
	if n := s.Accepted(t); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}
