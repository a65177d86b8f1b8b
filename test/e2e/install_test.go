// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
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
pip) cp gym .venv/bin/ ;;
esac`

// With gym_install the driver clones, checks out the ref, installs, prepares and runs.
func TestGymInstall(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	repo, calls := gymRepository(t)
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		bin := filepath.Dir(script(t, "exit 1"))
		rename(t, script(t, uvDouble), filepath.Join(bin, "uv"))
		f.Env = []string{"PATH=" + bin + ":" + testPath()}
		_ = os.Remove(calls)
		r := f.run(t, "driver.gym_install.repo="+repo, "driver.gym_install.ref=stable",
			"driver.benchmarks.gpqa={command: null, prepare: {config_paths: [a.yaml, b.yaml]}, run: {split: test, nested: {temperature: 0.6}}}")
		if r.codes["gpqa"] != 5 {
			t.Errorf("exit code %d, want the installed gym's 5\n%s", r.codes["gpqa"], r.log)
		}
		want := "stable|eval|prepare|+config_paths=[a.yaml,b.yaml]\n" +
			"stable|eval|run|+output_jsonl_fpath=" + r.dir + "/artifacts/rollouts.jsonl|+policy_base_url=http://localhost:8000/v1" +
			"|+policy_model_name=tiny|+policy_api_key=dummy|+split=test|+nested.temperature=0.6\n"
		if got := readFile(t, calls); got != want {
			t.Errorf("gym was called as\n%s, want\n%s", got, want)
		}
	})
}

// gymRepository is a git repository whose program `gym` notes how it is called; the branch
// stable says so, the default branch fails.
func gymRepository(t *testing.T) (repo, calls string) {
	t.Helper()
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
	write(`IFS='|'; echo "stable|$*" >>` + calls + `; [ "$2" = prepare ] || exit 5` + "\n")
	git("add", "gym")
	git("commit", "--quiet", "--message=stable")
	git("branch", "stable")
	write("exit 1\n")
	git("commit", "--quiet", "--all", "--message=broken")
	return repo, calls
}
