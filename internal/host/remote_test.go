// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// double puts an ssh onto the PATH that runs body; $last is the command for the other side.
func double(t *testing.T, body string) *Remote {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \" $* \" in *' -O check '*) exit 255 ;; esac\nfor last; do :; done\n" + body + "\n"
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	r := &Remote{name: "far"}
	t.Cleanup(r.Close)
	return r
}

func TestSSHThatHangs(t *testing.T) {
	before := connectLimit
	connectLimit = 300 * time.Millisecond
	t.Cleanup(func() { connectLimit = before })
	began := time.Now()
	_, _, err := double(t, "exec sleep 60").Run(t.Context(), Command{Args: []string{"true"}})
	if _, ok := errors.AsType[*ConnectError](err); !ok || !strings.Contains(err.Error(), "connect to far over ssh: no answer within 300ms") ||
		!strings.Contains(err.Error(), "VPN") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A command that hangs costs its connection; the next one gets another.
func TestCommandThatHangs(t *testing.T) {
	r := double(t, `exec /bin/sh -c "$last"`)
	_, _, err := r.Run(t.Context(), Command{Args: []string{"sleep", "60"}, Limit: 300 * time.Millisecond})
	if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "far: the connection was lost: no answer within 300ms to: sleep") {
		t.Errorf("got %v", err)
	}
	if out, _, err := r.Run(t.Context(), Command{Args: []string{"echo", "again"}}); err != nil || out != "again\n" {
		t.Errorf("afterwards: %q %v", out, err)
	}
}

// Answers are told apart whatever they hold and however many are asked for at once.
func TestManyAtOnce(t *testing.T) {
	r := double(t, `echo banner; echo news >&2; exec /bin/sh -c "$last"`)
	var all sync.WaitGroup
	for _, text := range []string{"", "\n", "\n\n", "a", "a\n", "\na", "a\x00b\n\n", strings.Repeat("x", 200000), strings.Repeat("y\n", 50000)} {
		for range 5 {
			all.Go(func() {
				path := filepath.Join(t.TempDir(), "file")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Error(err)
				}
				if got, err := r.ReadAt(t.Context(), path, 0, 1<<20); err != nil || string(got) != text {
					t.Errorf("%.20q came as %.20q (%d of %d bytes, %v)", text, got, len(got), len(text), err)
				}
			})
		}
	}
	all.Wait()
}

// A directory for temporary files whose name ssh's configuration would take apart is not used.
func TestOddTemporaryDirectory(t *testing.T) {
	for _, name := range []string{"two words", "it's", "100%p", strings.Repeat("long", 20)} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("TMPDIR", dir)
		out, _, err := double(t, `for a; do case $a in ControlPath=*) export SOCKET="$a" ;; esac; done; exec /bin/sh -c "$last"`).
			Run(t.Context(), Command{Args: []string{"sh", "-c", `echo "$SOCKET"`}})
		if err != nil || !strings.HasPrefix(out, "ControlPath=/tmp/gym-ssh-") {
			t.Errorf("with %s: %q (%v)", name, out, err)
		}
	}
}

// Nobody else may swap what is in a run's directory, whatever the umask of a login is.
func TestPlaceIsNobodyElsesToWrite(t *testing.T) {
	r := double(t, `umask 000; case "$*" in *rsync*) exit 12 ;; esac; exec /bin/sh -c "$last"`)
	dir := filepath.Join(t.TempDir(), "runs", "r")
	err := r.Place(t.Context(), dir, func(here string) error { return os.WriteFile(filepath.Join(here, "f"), nil, 0o600) })
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o755, filepath.Join(dir, "f"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has %v (%v), want %v", path, info.Mode(), err, want)
		}
	}
}
