// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package wait waits for conditions, so that no test has to guess how long something
// takes.
package wait

import (
	"fmt"
	"testing"
	"time"
)

// every is how often a condition is looked at.
const every = 20 * time.Millisecond

// Until calls condition until it returns nil. After timeout it returns what the
// condition said last.
func Until(timeout time.Duration, condition func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		err := condition()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %v: %w", timeout, err)
		}
		time.Sleep(every)
	}
}

// For is Until for a test, which it ends when the condition does not come true.
func For(tb testing.TB, timeout time.Duration, condition func() error) {
	tb.Helper()
	if err := Until(timeout, condition); err != nil {
		tb.Fatal(err)
	}
}
