// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"testing"
)

// roleEnv turns the test binary, which has the collector's whole initialisation in it,
// into another program for a test that needs one.
const roleEnv = "GYM_OTELCOL_TEST_ROLE"

const (
	roleCollector = "collector" // the collector itself, with its own arguments
	roleWait      = "wait"      // nothing until standard input ends
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case roleCollector:
		main()
	case roleWait:
		_, _ = os.Stdout.WriteString("ready\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		os.Exit(m.Run())
	}
}
