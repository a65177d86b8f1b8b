// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// uvDouble stands in for uv, whose package index cannot be reached from a test: its
// environment is a directory, and installing copies the source's program into it.
const uvDouble = `case "$1" in
venv) mkdir -p .venv/bin && echo "PATH=$PWD/.venv/bin:\$PATH" >.venv/bin/activate ;;
pip) (IFS="|"; echo "uv|$*" >>"$CALLS"); cp gym .venv/bin/ ;;
esac`

// With gym_install the driver clones, checks out the ref, installs with what exports, prepares
// and runs; Gym finds the collector by its environment.
func TestGymInstall(t *testing.T) {
	repo, calls := gymRepository(t)
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		bin := filepath.Dir(script(t, "exit 1"))
		rename(t, script(t, uvDouble), filepath.Join(bin, "uv"))
		f.Env = []string{"PATH=" + bin + ":" + testPath(), "CALLS=" + calls}
		runsInstalled(t, f, repo, calls)
	})
}

// The same in an image, which has its own /tmp. What git needs is mounted from the node.
func TestGymInstallInAnImage(t *testing.T) {
	repo, calls := gymRepository(t)
	f := newFixture(t, newImageSite(t))
	f.Env = []string{"PATH=" + testPath(), "CALLS=" + calls}
	image := newImage(t, "driver")
	rename(t, script(t, uvDouble), filepath.Join(image, "bin", "uv"))
	mounts := []string{repo, filepath.Dir(calls), "/usr/bin", "/usr/lib", "/usr/share"}
	for i, path := range mounts {
		mounts[i] = path + ":" + path
	}
	runsInstalled(t, f, repo, calls, "driver.container="+image, "driver.mounts=["+strings.Join(mounts, ",")+"]")
}

// runsInstalled runs a fixture's benchmark with the Gym of a repository, of which nothing is left.
func runsInstalled(t *testing.T, f *fixture, repo, calls string, args ...string) {
	t.Helper()
	_ = os.Remove(calls)
	r := f.run(t, append(args, "driver.gym_install.repo="+repo, "driver.gym_install.ref=stable", "otel.gym_span_groups=per_rollout",
		"driver.env.NEMO_GYM_OTEL_LOGS_ENABLED=0", "driver.policy_host=${oc.env:HEAD_NODE_IP}",
		"driver.benchmarks.gpqa={command: null, prepare: {config_paths: [a.yaml, b.yaml]}, run: {split: test, nested: {temperature: 0.6}}}")...)
	if r.codes["gpqa"] != 5 {
		t.Errorf("exit code %d, want the installed gym's 5\n%s", r.codes["gpqa"], r.log)
	}
	want := "uv|pip|install|-e|.[telemetry]\n" +
		"stable|eval|prepare|+config_paths=[a.yaml,b.yaml]\n" +
		"stable|eval|run|--model-type|openai_model|+output_jsonl_fpath=" + r.dir + "/artifacts/rollouts.jsonl" +
		"|+require_complete=true|+observability_enabled=true|+model_call_capture_dir=" + r.dir + "/model-calls" +
		"|+policy_base_url=http://${oc.env:HEAD_NODE_IP}:8000/v1|+policy_model_name=tiny|+policy_api_key=dummy|+split=test|+nested.temperature=0.6\n" +
		"1|" + filepath.Base(filepath.Dir(r.dir)) + "|per_rollout|0|http/protobuf|http://localhost:4317|an address\n"
	if got := readFile(t, calls); got != want {
		t.Errorf("uv and gym were called as\n%s, want\n%s", got, want)
	}
	clone := strings.TrimSpace(readFile(t, calls+".directory"))
	if _, err := os.Stat(clone); !strings.HasPrefix(clone, "/tmp/gym-install-") || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the clone %q is left on the node (%v)", clone, err)
	}
	if traces := readFile(t, filepath.Join(r.dir, "otel", "traces.jsonl")); !strings.Contains(traces, "nemo-gym/agent") {
		t.Errorf("what gym exported is not in traces.jsonl: %.300s", traces)
	}
}

// gymRepository is a git repository whose program `gym` notes how it is called and exports what
// its environment says where; the branch stable says so, the default branch fails.
func gymRepository(t *testing.T) (repo, calls string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	repo, calls = t.TempDir(), filepath.Join(t.TempDir(), "calls")
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	write := func(body string) {
		if err := os.WriteFile(filepath.Join(repo, "gym"), []byte("#!/bin/bash\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet", "--initial-branch=main")
	write(`IFS='|'
echo "stable|$*" >>"$CALLS"
pwd >"$CALLS.directory"
[ "$2" = run ] || exit 0
said=("$NEMO_GYM_OTEL_ENABLED" "$NEMO_GYM_OTEL_RUN_ID" "$NEMO_GYM_OTEL_SPAN_GROUPS" "$NEMO_GYM_OTEL_LOGS_ENABLED"
  "$OTEL_EXPORTER_OTLP_PROTOCOL" "$OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
[[ ! $HEAD_NODE_IP =~ ^[0-9.]+$ ]] || said+=("an address")
echo "${said[*]}" >>"$CALLS"
exec driver --engine http://localhost:8000 --model tiny --requests 2 --exit 5 \
  --otlp-http "$OTEL_EXPORTER_OTLP_ENDPOINT" --service-name nemo-gym/agent
`)
	git("add", "gym")
	git("commit", "--quiet", "--message=stable")
	git("branch", "stable")
	write("exit 1\n")
	git("commit", "--quiet", "--all", "--message=broken")
	return repo, calls
}
