// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"
	"time"
)

// A plain scancel signals everything at once: best effort, but the files stay whole and
// nothing is left running.
func TestPlainScancel(t *testing.T) {
	at := newSlurmSite(t)
	f := newFixture(t, at)
	f.Command = endless
	s := f.start(t)
	f.awaitLog(t, "starting the driver")
	awaitServed(t, f)
	for _, id := range at.ids(t, s) {
		at.cluster.Run(t, "scancel", id)
		if job := at.cluster.Wait(t, id, time.Minute); job.State != "CANCELLED" {
			t.Errorf("the job ended %s", job.State)
		}
	}
	r := f.finish(t, s)
	if batches := metricsFile(t, r); len(batches) == 0 {
		t.Error("metrics.jsonl is empty")
	}
	at.idle(t)
}
