// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// rayDouble notes its words, then listens where a head would and ends with TERM, as
// `ray start --block` does.
const rayDouble = `#!/usr/bin/env python3
import os, signal, socket, sys
words = sys.argv[1:]
with open(os.environ["RAY_WORDS"], "w") as out:
    out.write("\0".join(words + [os.environ["GYM_RAY_ADDRESS_HEAD"]]))
head = socket.create_server((words[words.index("--node-ip-address") + 1], int(words[words.index("--port") + 1])))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print("head: up", flush=True)
while True:
    head.accept()[0].close()
`

// programsBeside writes executables into a directory of their own, which goes to the front of PATH.
func programsBeside(t *testing.T, f *fixture, files map[string]string) {
	t.Helper()
	bin := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.Env = append(f.Env, "PATH="+bin+":"+testPath())
}

// words reads what a double noted.
func words(t *testing.T, path string) []string {
	t.Helper()
	return strings.Split(readFile(t, path), "\x00")
}

// A Ray head starts behind the engine, is waited for, is where the job says, and ends with it.
func TestRayHead(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed: it plays the Ray head")
	}
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		noted := filepath.Join(f.dir, "words")
		programsBeside(t, f, map[string]string{"ray": rayDouble})
		f.Env = append(f.Env, "RAY_WORDS="+noted)
		f.Command = `exec 3<>"/dev/tcp/\${GYM_RAY_ADDRESS_HEAD%:*}/\${GYM_RAY_ADDRESS_HEAD##*:}" && exit 7`
		r := f.run(t, "services.head.type=ray", "services.head.container=null", "services.head.port=16379",
			"services.head.num_cpus=2", "services.head.extra_args=--temp-dir '/tmp/a b'",
			"services.head.pre_command=export IN_THE_SAME_SHELL=1")
		if r.codes["gpqa"] != 7 {
			t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
		}
		got := words(t, noted)
		address := got[len(got)-1]
		host, port, err := net.SplitHostPort(address)
		if err != nil || net.ParseIP(host) == nil || port != "16379" {
			t.Errorf("GYM_RAY_ADDRESS_HEAD is %q", address)
		}
		want := []string{"start", "--block", "--head", "--port", "16379", "--node-ip-address", host, "--num-cpus", "2", "--temp-dir", "/tmp/a b", address}
		if !slices.Equal(got, want) {
			t.Errorf("ray got\n%q, want\n%q", got, want)
		}
		inOrder(t, r.log, "starting policy", "starting head", "policy is healthy", "head listens after", "starting the driver")
		rendered := readFile(t, filepath.Join(r.dir, "otel", "collector.yaml"))
		if strings.Contains(rendered, "16379") {
			t.Errorf("the head is scraped:\n%s", rendered)
		}
		at.idle(t)
		if c, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = c.Close()
			t.Error("the head outlived its job")
		}
	})
}

// A Ray head that dies ends the job at once, with its last words.
func TestRayHeadThatDies(t *testing.T) {
	f := newFixture(t, &localSite{})
	programsBeside(t, f, map[string]string{"ray": "#!/bin/sh\necho 'no room for an object store' >&2\nexit 3\n"})
	r := f.run(t, "services.head.type=ray", "services.head.container=null", "services.head.port=16379")
	if r.codes["gpqa"] != 1 || !strings.Contains(r.log, "service head ended with code 3") || !strings.Contains(r.log, "no room for an object store") {
		t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
	}
}

func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("%q is not there, or not in order:\n%s", part, text)
			return
		}
		rest = after
	}
}

// Options of sbatch from compute and pool arrive as written, and a variable in --export
// leaves the job everything else, the token included.
func TestSlurmOptionsArrive(t *testing.T) {
	at := newSlurmSite(t)
	const (
		comment = `{"Reaper": {"reason": "it's \"an\" eval", "path": "C:\\x #1"}}`
		extra   = `a b'c`
	)
	f := newFixture(t, at)
	f.Env = []string{"FROM_THE_SHELL=kept"}
	f.Command = `printf '%s\0' "$FROM_THE_SHELL" "$EXTRA" >environment; driver --engine http://localhost:8000 --model tiny --duration 1s --exit 7`
	r := f.run(t, "compute.testcluster.node_pools.gpu.extra_args.comment="+asJSON(t, comment), "compute.testcluster.extra_args.requeue=",
		"compute.testcluster.extra_args.export="+asJSON(t, "ALL,EXTRA="+extra))
	if r.codes["gpqa"] != 7 {
		t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
	}
	if got := words(t, filepath.Join(r.dir, "environment")); !slices.Equal(got, []string{"kept", extra, ""}) {
		t.Errorf("the driver sees %q", got)
	}
	shown := at.cluster.Run(t, "scontrol", "show", "job", r.job)
	for _, want := range []string{"Comment=" + comment, "Requeue=1"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the job lacks %s:\n%s", want, shown)
		}
	}
	tenantEverywhere(t, f)
	if script := readFile(t, filepath.Join(r.dir, "job.sh")); strings.Contains(script, canary) {
		t.Error("the token is in the script")
	}
}

// A list of variables alone: the job gets those, the token and what host: names, and no other.
func TestExportOfAList(t *testing.T) {
	at := newSlurmSite(t)
	f := newFixture(t, at)
	f.Env = []string{"FROM_THE_SHELL=kept", "NOT_LISTED=lost", "BY_HOST=it's here"}
	f.Command = `printf '%s\0' "$FROM_THE_SHELL" "$(printenv NOT_LISTED || :)" "$HOSTED" >environment; driver --engine http://localhost:8000 --model tiny --duration 1s --exit 7`
	r := f.run(t, "compute.testcluster.node_pools.gpu.extra_args.export="+asJSON(t, "PATH,FROM_THE_SHELL"), "driver.env.HOSTED=host:BY_HOST")
	if r.codes["gpqa"] != 7 {
		t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
	}
	if got := words(t, filepath.Join(r.dir, "environment")); !slices.Equal(got, []string{"kept", "", "it's here", ""}) {
		t.Errorf("the driver sees %q", got)
	}
	tenantEverywhere(t, f)
	script := readFile(t, filepath.Join(r.dir, "job.sh"))
	if !strings.Contains(script, "#SBATCH --export=PATH,FROM_THE_SHELL,OTEL_TOKEN,BY_HOST\n") || strings.Contains(script, canary) {
		t.Errorf("the script has another list, or the token:\n%.1500s", script)
	}
}
