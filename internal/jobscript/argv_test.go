// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// hostile is text that a shell, or something on the way, might take for its own.
var hostile = []string{
	"plain",
	"two words",
	"it's",
	`say "hi"`,
	"$HOME ${HOME} $(id) `id`",
	`back\slash \\ \n`,
	"two\nlines\n",
	"; & | < > ( ) { } [ ] * ? ~ # ! = %",
	"größe 漢字 \U0001F600",
	"-rf",
	" leading and trailing ",
	"\ttab\t",
	"'$'\\''",
	"${IFS}",
	"EOF\n}\n)",
	"no\u00a0break \u2028 \u200bwidth \U000e0001",
	"\u00a0\\u00a0",
	`\u00a0`,
}

// Whatever the user writes arrives in argv and environment unchanged.
func TestValuesArriveUnchanged(t *testing.T) {
	for _, text := range hostile {
		t.Run(text, func(t *testing.T) {
			v := values{model: text, served: text, container: text, mount: text, env: text, override: text, command: text, account: "a"}
			cfg := configOf(v)
			script, err := Render(cfg, Job{RunID: "gym-job-x", Benchmark: "run", Dir: "/runs/gym-job-x/run"})
			if err != nil {
				t.Fatal(err)
			}
			got := stepsOf(t, script, "policy_service_step")
			want := []string{
				text, "/home/alice", "", "policy", "--no-container-mount-home", "--container-image=" + text,
				"--container-mounts=" + text, "--", "vllm", "serve", text, "--port", "8000",
				"--tensor-parallel-size", "1", "--served-model-name", text,
			}
			if !slices.Equal(got, want) {
				t.Errorf("the service's step got\n%q, want\n%q", got, want)
			}
			driverGets(t, script, "+a.b="+text)
			script, err = Render(cfg, Job{RunID: "gym-job-x", Benchmark: "command", Dir: "/runs/gym-job-x/command"})
			if err != nil {
				t.Fatal(err)
			}
			driverGets(t, script, strings.TrimRight(text, "\n"))
		})
	}
}

// The same for the keys of upstream's later schemas.
func TestLaterValuesArriveUnchanged(t *testing.T) {
	for _, text := range hostile {
		t.Run(text, func(t *testing.T) {
			cfg := configOf(values{model: "m", served: "s", container: text, modelType: text, spanGroups: text, resource: text, repo: text})
			script, err := Render(cfg, Job{RunID: "r", Benchmark: "run", Dir: "/runs/r/run"})
			if err != nil {
				t.Fatal(err)
			}
			head := stepsOf(t, script, "head_service_step")
			resource, found := strings.CutPrefix(head[len(head)-1], "--resources=")
			var amounts map[string]float64
			if err := json.Unmarshal([]byte(resource), &amounts); !found || err != nil || amounts[text] != 0.5 {
				t.Errorf("ray got %q (%v), want a resource called %q", head, err, text)
			}
			if driver := stepsOf(t, script, "driver_step"); driver[2] != text {
				t.Errorf("the driver's groups of spans are %q, want %q", driver[2], text)
			}
			for _, called := range []string{"clone", "checkout"} {
				call := `gym_source_dir=/clone; cd() { :; }; git() { [ "$1" != ` + called + ` ] || { step "$@"; exit 0; }; }; driver_main`
				if got := stepsOf(t, script, call); !slices.Contains(got, text) {
					t.Errorf("git %s got %q, want %q among it", called, got, text)
				}
			}
			cfg.Driver.GymInstall = nil
			if script, err = Render(cfg, Job{RunID: "r", Benchmark: "run", Dir: "/runs/r/run"}); err != nil {
				t.Fatal(err)
			}
			driverGets(t, script, text)
		})
	}
}

// driverGets runs driver_main from the text that the step would get, with doubles of what
// it calls.
func driverGets(t *testing.T, script []byte, want string) {
	t.Helper()
	call := `exec() { step "$@"; }; text=$(declare -f driver_main); eval "$text"; driver_main`
	if got := stepsOf(t, script, call); !slices.Contains(got, want) {
		t.Errorf("the driver got %q, want %q among it", got, want)
	}
}

// Text that cannot be an argument is refused by name and not cut short.
func TestUnquotable(t *testing.T) {
	for _, v := range []values{{model: "a\x00b"}, {env: "a\x00b"}, {container: "a\x00b"}} {
		if _, err := Render(configOf(v), Job{Benchmark: "run", Dir: "/runs/x/run"}); err == nil ||
			!strings.Contains(err.Error(), "services.policy") {
			t.Errorf("%+v: %v, want an error that names services.policy", v, err)
		}
	}
}

func TestPreCommandRunsInTheServersShell(t *testing.T) {
	v := values{model: "m", served: "s", container: "i", preCommand: "export X='a b'\nulimit -c 0\n"}
	script, err := Render(configOf(v), Job{Benchmark: "run", Dir: "/runs/x/run"})
	if err != nil {
		t.Fatal(err)
	}
	got := stepsOf(t, script, "policy_service_step")
	command := got[slices.Index(got, "--")+1:]
	want := []string{"bash", "-c", "export X='a b'\nulimit -c 0\nexec \"$@\"", "bash", "vllm", "serve", "m"}
	if !slices.Equal(command[:len(want)], want) {
		t.Errorf("the command is %q, want it to begin with %q", command, want)
	}
}

func TestExtraArgsAreWordsOfTheShell(t *testing.T) {
	cfg := configOf(values{model: "m", served: "s", container: "i"})
	cfg.Services[0].Value.ExtraArgs = `--json '{"a": 1}' --home $HOME --quoted "a b"`
	script, err := Render(cfg, Job{Benchmark: "run", Dir: "/runs/x/run"})
	if err != nil {
		t.Fatal(err)
	}
	got := stepsOf(t, script, "policy_service_step")
	want := []string{"--json", `{"a": 1}`, "--home", "/home/alice", "--quoted", "a b"}
	if !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("the command ends with %q, want %q", got[len(got)-len(want):], want)
	}
}

// FuzzRender renders arbitrary values; the script has to parse, and the quoted words have to
// read back as what went in.
func FuzzRender(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		v := values{
			model: a, served: b, container: b, mount: a, env: b, override: a, command: b, account: "a", preCommand: "true",
			modelType: b, spanGroups: a, resource: b, repo: a,
		}
		cfg := configOf(v)
		for _, benchmark := range []string{"run", "command"} {
			script, err := Render(cfg, Job{RunID: "r", Benchmark: benchmark, Dir: "/runs/r/" + benchmark})
			if err != nil {
				if !strings.ContainsRune(a+b, 0) {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(script), "job.sh")
			if err != nil {
				t.Fatal(err)
			}
			if got := servedModel(t, file); got != a {
				t.Errorf("the model reads back as %q, want %q", got, a)
			}
		}
	})
}

// srun is found although the step that it starts has another PATH.
func TestAStepMayHaveAnotherPath(t *testing.T) {
	script, err := Render(configOf(values{model: "m", served: "s", container: "i"}), Job{Benchmark: "run", Dir: "/runs/x/run"})
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(script), "# ---- The services")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"srun":   "#!/bin/sh\necho \"$PATH $*\" >srun-saw\n",
		"job.sh": strings.Replace(head, `cd "$gym_bench_dir" ||`, "cd . ||", 1) + "\n(export PATH=/nowhere; step driver -- true)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "job.sh")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SLURM_JOB_ID=1", "PATH="+dir+":"+os.Getenv("PATH"))
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	saw, err := os.ReadFile(filepath.Join(dir, "srun-saw"))
	if err != nil || !strings.HasPrefix(string(saw), "/nowhere --overlap") || !strings.HasSuffix(string(saw), " true\n") {
		t.Errorf("srun saw %q (%v)", saw, err)
	}
}
