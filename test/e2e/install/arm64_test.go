// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

// arm64Programs tells the kernel what qemu is to run: the first bytes of an ELF file for arm64.
const arm64Programs = `:qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00` +
	`:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:`

// cannotRegister is the code that onArm64 ends with where the kernel does not allow it.
const cannotRegister = 77

// onArm64 runs a command in a namespace of its own in which programs for arm64 run under qemu:
// since Linux 6.7 each user namespace has its own list of such formats.
func onArm64(qemu string, command ...string) *exec.Cmd {
	script := `mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && printf %s "$0" >/proc/sys/fs/binfmt_misc/register || exit 77
		exec "$@"`
	return exec.Command("unshare", append([]string{"--user", "--map-root-user", "--mount", "sh", "-c", script, arm64Programs + qemu + ":F"}, command...)...)
}

// On a machine that says it is aarch64 the combined tarball takes gym-submit and the collector
// for arm64, which run a whole job. Everything for amd64 is gone from it.
func TestArm64Job(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("is for a machine with another architecture than arm64")
	}
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("qemu-aarch64-static is not installed")
	}
	var exit *exec.ExitError
	if err := onArm64(qemu, "true").Run(); errors.As(err, &exit) && exit.ExitCode() == cannotRegister || err != nil && exit == nil {
		t.Skip("the kernel has no binfmt_misc for user namespaces")
	}
	s := newSite(t, []string{"sh"})
	s.mustInstall(t, unpack(t, "first", "multi"), s.prefix)
	if err := os.RemoveAll(filepath.Join(s.prefix, thisVersion, "bin", "amd64")); err != nil {
		t.Fatal(err)
	}
	backend := ingest.Start(t, ingest.Options{Token: "secret"})
	site := "otel: {endpoint: " + backend.URL + ", service_name: s}\n"
	if err := os.WriteFile(filepath.Join(s.prefix, "etc", "site.yaml"), []byte(site), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"run.yaml":  strings.ReplaceAll(runFile, "/home/alice", dir),
		"stop":      "",
		"bin/uname": "#!/bin/sh\necho aarch64\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := onArm64(qemu, filepath.Join(s.prefix, "current", "bin", "gym-submit"), "-c", filepath.Join(dir, "run.yaml"))
	cmd.Env = append(os.Environ(), "OTEL_TOKEN=secret", "HOME="+dir, "XDG_STATE_HOME="+dir, "PATH="+filepath.Join(dir, "bin")+":"+filepath.Join(made, "bin")+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "runs", "*", "gpqa", "otel"))
	if len(files) != 1 {
		t.Fatalf("there are %v", files)
	}
	state, err := delivery.Load(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if m := state.Signals[otlpfile.Metrics]; m.Accepted == 0 || m.Delivered != m.Accepted {
		t.Errorf("of %d metric points %d were delivered", m.Accepted, m.Delivered)
	}
}
