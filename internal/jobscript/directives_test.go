// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"testing"
	"time"
)

func TestTimeLimit(t *testing.T) {
	for _, c := range []struct {
		walltime    string
		limit, lead time.Duration
	}{
		{"", 0, time.Minute},
		{"UNLIMITED", 0, time.Minute},
		{"1", time.Minute, 30 * time.Second},
		{"00:00:20", 20 * time.Second, 10 * time.Second},
		{"02:00:00", 2 * time.Hour, time.Minute},
		{"1-0", 24 * time.Hour, time.Minute},
	} {
		limit, lead, err := timeLimit(c.walltime, 0)
		if err != nil || limit != c.limit || lead != c.lead {
			t.Errorf("timeLimit(%q) = %v, %v, %v, want %v, %v", c.walltime, limit, lead, err, c.limit, c.lead)
		}
	}
	if _, _, err := timeLimit("soon", 0); err == nil {
		t.Error("a walltime that is none was accepted")
	}
}
