// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/internal/sshd"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// remoteSite is a Slurm that is reached over ssh alone.
type remoteSite struct {
	*slurmSite
	server *sshd.Server
}

// refusing makes Slurm refuse one benchmark: the real sbatch asks for a partition that the
// cluster does not have.
const refusing = `case "$*" in
*/refused/job.sh) set -- --partition=nosuch "$@" ;;
esac
exec /usr/bin/sbatch "$@"`

// newRemoteSite starts a cluster, and before it an sshd whose login shell is tcsh and prints a
// banner.
func newRemoteSite(t *testing.T) *remoteSite {
	t.Helper()
	s := newSlurmSite(t)
	sbatch := script(t, refusing)
	rename(t, sbatch, filepath.Join(filepath.Dir(sbatch), "sbatch"))
	return &remoteSite{s, sshd.Start(t, sshd.Options{
		Shell: "/usr/bin/tcsh",
		Home:  map[string]string{".cshrc": "echo 'Welcome to the cluster!'\n"},
		Env:   append(s.environ(), "PATH="+filepath.Dir(sbatch)+":"+testPath(), "SBATCH_PARTITION=nosuch"),
	})}
}

func (s *remoteSite) compute(walltime string) string {
	return "    hostname: " + sshd.Host + "\n    extra_args: {exclusive: ''}\n" + s.slurmSite.compute(walltime)
}

// environ has an ssh that knows the cluster, and a Slurm that does not answer.
func (s *remoteSite) environ() []string {
	return []string{"PATH=" + s.server.Bin + ":" + testPath(), "SLURM_CONF=/nonexistent"}
}

// Three benchmarks over ssh, the second of which Slurm refuses; looked at and stopped from here.
func TestRemote(t *testing.T) {
	at := newRemoteSite(t)
	f := newFixture(t, at)
	f.Command = "driver --engine http://localhost:8000 --model tiny --duration 120s"
	f.Otel["binary"] = filepath.Join(programs, "gym-otelcol")
	call := f.prepare(t)
	threeBenchmarks(t, filepath.Join(f.dir, "run.yaml"))
	call.cmd.Stdout, call.cmd.Stderr = &call.stdout, &call.stderr
	if code := call.begin(t).exit(t); code != 1 {
		t.Fatalf("gym-submit ended with code %d: %s%s", code, call.stdout.String(), call.stderr.String())
	}
	for _, want := range []string{"submitted aime → Slurm job ", "failed refused: sbatch ended with code 1", "invalid partition", "submitted gpqa → Slurm job "} {
		if !strings.Contains(call.stdout.String(), want) {
			t.Errorf("the answer lacks %q: %s%s", want, call.stdout.String(), call.stderr.String())
		}
	}
	if n := at.server.Accepted(t); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	wait.For(t, time.Minute, func() error {
		a := f.ask(t, "status")
		for _, want := range []string{"the driver runs", "it was not queued", "queued"} {
			if !strings.Contains(a.stdout, want) {
				return fmt.Errorf("status lacks %q: %+v", want, a)
			}
		}
		return nil
	})
	followed := f.command("logs", "aime", "job", "-f")
	var lines strings.Builder
	followed.Stdout = &lines
	if err := followed.Start(); err != nil {
		t.Fatal(err)
	}
	if a := f.ask(t, "cancel", "--yes"); a.code != 0 {
		t.Errorf("cancel: %+v", a)
	}
	if err := followed.Wait(); err != nil {
		t.Errorf("logs -f: %v", err)
	}
	for _, want := range []string{"starting the driver", "the backend has all of it", "ends with code"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("logs -f lacks %q:\n%s", want, lines.String())
		}
	}
	if strings.Contains(lines.String(), "Welcome") {
		t.Errorf("the banner is in the log:\n%s", lines.String())
	}
	a := f.ask(t, "status")
	if !strings.Contains(a.stdout, "cancelled by ") || strings.Contains(a.stdout, "running") {
		t.Errorf("afterwards: %+v", a)
	}
	fetched := f.ask(t, "fetch")
	file, err := delivery.Load(filepath.Join(strings.TrimSpace(fetched.stdout), "aime", "otel"))
	if fetched.code != 0 || err != nil || file.Signals[otlpfile.Metrics].Delivered == 0 {
		t.Errorf("fetch: %+v, and delivery.json of the copy: %v", fetched, err)
	}
	connections := at.server.Accepted(t)
	if b := f.ask(t, "status"); !strings.Contains(b.stdout, "cancelled by ") || b.stderr != "" || at.server.Accepted(t) != connections {
		t.Errorf("from the copy: %+v, %d connections more", b, at.server.Accepted(t)-connections)
	}
	again := f.askWithToken(t, "resubmit", "aime")
	if again.code != 0 || !strings.Contains(again.stdout, "submitted aime → Slurm job ") || strings.Contains(again.stdout, "refused") {
		t.Errorf("resubmit: %+v", again)
	}
	wait.For(t, time.Minute, func() error {
		if a := f.ask(t, "status"); !strings.Contains(a.stdout, "the driver runs") {
			return fmt.Errorf("after resubmit: %+v", a)
		}
		return nil
	})
	if a := f.ask(t, "cancel", "--yes"); a.code != 0 {
		t.Errorf("cancel: %+v", a)
	}
	if log, err := os.ReadFile(filepath.Join(at.server.Dir, "log")); err != nil || strings.Contains(string(log), token) {
		t.Errorf("the token is in sshd's log (%v)", err)
	}
	at.idle(t)
}

// threeBenchmarks makes three of the one in a submit file.
func threeBenchmarks(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "    gpqa:\n")
	one, after, ends := strings.Cut(rest, "job:\n")
	if !found || !ends {
		t.Fatal(errors.New("the submit file looks otherwise"))
	}
	for _, name := range []string{"aime", "refused", "gpqa"} {
		before += "    " + name + ":\n" + one
	}
	if err := os.WriteFile(file, []byte(before+"job:\n"+after), 0o600); err != nil {
		t.Fatal(err)
	}
}
