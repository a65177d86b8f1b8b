// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"reflect"
	"testing"
)

// Whichever of the jobs before it is cancelled while it waits, a job does not begin beside another one of its lane.
func TestLanesWaitForAllBefore(t *testing.T) {
	for _, c := range []struct {
		lanes *Lanes
		want  []string
	}{
		{nil, []string{"", "", "", "", ""}},
		{NewLanes(1), []string{"", "1", "1:2", "1:2:3", "1:2:3:4"}},
		{NewLanes(2), []string{"", "", "1", "2", "1:3"}},
		{NewLanes(2, "7", "8"), []string{"7:8", "7:8", "7:8:1", "7:8:2", "7:8:1:3"}},
	} {
		var got []string
		for _, id := range []string{"1", "2", "3", "4", "5"} {
			after := ""
			for _, o := range c.lanes.options() {
				after = o[len("--dependency=afterany:"):]
			}
			got = append(got, after)
			c.lanes.queued(id)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
