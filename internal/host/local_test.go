// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A command that hangs is killed with what it started; no connection was lost then.
func TestLocalCommandThatHangs(t *testing.T) {
	note := filepath.Join(t.TempDir(), "pid")
	_, _, err := Local{}.Run(t.Context(), Command{Args: []string{"sh", "-c", "sleep 300 & echo $! >" + note + "; wait"}, Limit: 500 * time.Millisecond})
	if !errors.Is(err, ErrLost) || err.Error() != "sh did not end within 500ms" {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); running(pid); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("what it started still runs")
		}
	}
}

// running is false for a zombie too: whoever takes orphans may not ask for them.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
