// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
)

// What is counted and is not in the file was lost, unless it was settled before.
func TestReopen(t *testing.T) {
	for name, c := range map[string]struct {
		left                  delivery.Signal
		items                 int64
		lost, delivered, open int64
	}{
		"all there":           {delivery.Signal{Accepted: 5, Delivered: 2, Undelivered: 3}, 5, 0, 0, 5},
		"in memory alone":     {delivery.Signal{Accepted: 5, Delivered: 2, Undelivered: 3}, 3, 2, 0, 3},
		"sent from memory":    {delivery.Signal{Accepted: 5, Delivered: 5}, 3, 0, 2, 3},
		"skipped by the disk": {delivery.Signal{Accepted: 5, Delivered: 3, Undelivered: 2, Unwritten: 2}, 3, 0, 2, 3},
		"more than counted":   {delivery.Signal{Accepted: 1, Delivered: 1}, 3, 0, 0, 3},
	} {
		got := reopen(c.left, delivery.Position{}, c.items)
		if got.Check() != nil || got.Lost != c.lost || got.Delivered != c.delivered || got.Undelivered != c.open {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
