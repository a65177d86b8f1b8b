// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"errors"
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	calls := 0
	err := Until(time.Minute, func() error {
		if calls++; calls < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
	never := errors.New("never")
	if err := Until(time.Millisecond, func() error { return never }); !errors.Is(err, never) {
		t.Errorf("timeout lost the reason: %v", err)
	}
}
