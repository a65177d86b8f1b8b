// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// doubles note what they are called with, one file each. That of srun then becomes the step's command, as the
// real one would on the node.
var doubles = map[string]string{
	"srun": `#!/bin/bash
printf '%s\0' "${LITERAL:-}" "$@" >"$OUT/srun"
while [[ $1 == -* ]]; do shift; done
exec "$@"
`,
	"vllm": "#!/bin/bash\nprintf '%s\\0' \"$@\" >\"$OUT/vllm\"\n",
	"gym":  "#!/bin/bash\nprintf '%s\\0' \"$@\" >\"$OUT/gym\"\n",
}

// FuzzSteps renders arbitrary values, runs the steps of the script in bash and compares what srun, the server
// and the driver are called with.
func FuzzSteps(f *testing.F) {
	for i, text := range hostile {
		f.Add(text, hostile[(i+1)%len(hostile)])
	}
	dir := f.TempDir()
	for name, text := range doubles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.ContainsRune(a+b, 0) || len(a)+len(b) > 1<<12 {
			t.Skip("refused by name, see TestUnquotable; or no longer an argument")
		}
		v := values{model: a, served: b, container: b, mount: a, env: b, override: a, modelType: b, account: "a"}
		script, err := Render(configOf(v), Job{RunID: "r", Benchmark: "run", Dir: "/runs/r/run"})
		if err != nil {
			t.Fatal(err)
		}
		out := steps(t, script, dir, "policy_service_step", "driver_step")
		called := read(t, filepath.Join(out, "policy_service_step", "srun"))
		if env, image := called[0], "--container-image="+b; env != b || !slices.Contains(called, image) || !slices.Contains(called, "--container-mounts="+a) {
			t.Errorf("the service's srun got %q", called)
		}
		want := []string{"serve", a, "--port", "8000", "--tensor-parallel-size", "1", "--served-model-name", b}
		if got := read(t, filepath.Join(out, "policy_service_step", "vllm")); !slices.Equal(got, want) {
			t.Errorf("the server got\n%q, want\n%q", got, want)
		}
		want = []string{"eval", "run"}
		if b != "" {
			want = append(want, "--model-type", b)
		}
		got := read(t, filepath.Join(out, "driver_step", "gym"))
		if !slices.Equal(got[:len(want)], want) || got[len(got)-1] != "+a.b="+a {
			t.Errorf("gym got %q", got)
		}
	})
}

// steps calls functions of a script that start steps and returns the directory with what each led to.
func steps(t *testing.T, script []byte, doubles string, functions ...string) string {
	t.Helper()
	dir := t.TempDir()
	body := definitions(t, script)
	for _, name := range functions {
		body += "\n(OUT=$PWD/" + name + "; export OUT; " + name + ")"
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "job.sh"), []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "job.sh")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SLURM_JOB_ID=1", "PATH="+doubles+":"+os.Getenv("PATH"), "LC_ALL=C")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return dir
}

// read returns the arguments that a double noted.
func read(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(content), "\x00"), "\x00")
}
