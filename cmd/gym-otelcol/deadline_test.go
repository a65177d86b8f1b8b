// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A collector without a journal, told to stop while it is still starting: it ends as it would later.
func TestStoppedWhileStarting(t *testing.T) {
	config := filepath.Join(t.TempDir(), "collector.yaml")
	if err := os.WriteFile(config, []byte(`
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:0"}}}}
exporters: {file: {path: /dev/null}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [file]}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	collector := exec.Command(os.Args[0], "--config", config)
	collector.Env = append(os.Environ(), roleEnv+"="+roleCollector)
	said, err := collector.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := collector.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = collector.Process.Kill() })
	lines := bufio.NewScanner(said)
	if lines.Scan() { // its first word: nothing has started yet
		if err := collector.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	var all strings.Builder
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
	}
	if err := collector.Wait(); err != nil {
		t.Errorf("%v\n%s", err, all.String())
	}
}
