// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const secret = `a$b${HOME} 'e"`

func TestMain(m *testing.M) {
	switch os.Getenv("GYM_TEST_ROLE") {
	case "submit": // still has the token in its environment
		_ = os.Setenv("GYM_TEST_ROLE", "jobs")
		err := Continue("/proc/self/exe", os.Args, "OTEL_TOKEN", os.Getenv("OTEL_TOKEN"))
		fmt.Println("continue:", err)
		os.Exit(1)
	case "jobs":
		r := &Runner{}
		err := r.ReadToken()
		environ, _ := os.ReadFile("/proc/self/environ")
		fmt.Printf("%t %t %v", r.token == secret, strings.Contains(string(environ), "HOME}"), err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestContinueTakesTheTokenOutOfTheEnvironment(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "GYM_TEST_ROLE=submit", "OTEL_TOKEN="+secret)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := string(out); got != "true false <nil>" {
		t.Errorf("token handed over, found in the environment, error: %s", got)
	}
}

func TestPipeEnds(t *testing.T) {
	r, err := pipeWith(secret)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil || string(data) != secret {
		t.Errorf("read %q, %v", data, err)
	}
}

func TestWithout(t *testing.T) {
	environ := []string{"A=1", "OTEL_TOKEN=x", "OTEL_TOKEN_2=y"}
	if got := strings.Join(without(environ, "OTEL_TOKEN"), " "); got != "A=1 OTEL_TOKEN_2=y" {
		t.Errorf("kept %s", got)
	}
	if got := len(without(environ, "")); got != 3 {
		t.Errorf("no variable to leave out, kept %d of 3", got)
	}
}
