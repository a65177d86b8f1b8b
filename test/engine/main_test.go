// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
)

const (
	soon = 20 * time.Second
	// asEngine in the environment makes the test binary be the engine.
	asEngine = "TEST_AS_ENGINE"
)

func TestMain(m *testing.M) {
	if os.Getenv(asEngine) != "" {
		main()
	}
	os.Exit(m.Run())
}

func start(t *testing.T, args []string, environment ...string) *proc.Process {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), asEngine+"=1"), environment...)
	return proc.Start(t, cmd)
}

func TestServesAndEndsAtOnce(t *testing.T) {
	port := proc.FreePort(t)
	p := start(t, []string{"serve", "some/model", "--port", fmt.Sprint(port), "--enforce-eager"})
	p.Serves(t, soon, fmt.Sprintf("http://127.0.0.1:%d/health", port))
	if code := p.Stop(t, soon); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"serving some/model", "told to stop"} {
		if !strings.Contains(p.Output(), want) {
			t.Errorf("no %q in %q", want, p.Output())
		}
	}
}

func TestPlannedDeath(t *testing.T) {
	p := start(t, []string{"serve", "m", "--port", "0"}, "ENGINE_EXIT_AFTER=10ms", "ENGINE_EXIT_CODE=9")
	if code := p.Wait(t, soon); code != 9 || !strings.Contains(p.Output(), "dying with code 9") {
		t.Errorf("exit code %d: %s", code, p.Output())
	}
}

func TestBadEnvironment(t *testing.T) {
	for _, variable := range []string{
		"ENGINE_LATENCY=fast", "ENGINE_TOKENS=many", "ENGINE_START_DELAY=3", "ENGINE_EXIT_AFTER=x", "ENGINE_EXIT_CODE=x",
	} {
		p := start(t, []string{"serve", "m", "--port", "0"}, variable)
		name, _, _ := strings.Cut(variable, "=")
		if code := p.Wait(t, soon); code != 2 || !strings.Contains(p.Output(), name) {
			t.Errorf("%s: exit code %d: %s", variable, code, p.Output())
		}
	}
}

func TestPortTaken(t *testing.T) {
	port := proc.FreePort(t)
	args := []string{"serve", "m", "--port", fmt.Sprint(port)}
	start(t, args).Line(t, soon, "serving")
	if code := start(t, args).Wait(t, soon); code != 1 {
		t.Errorf("exit code %d", code)
	}
}
