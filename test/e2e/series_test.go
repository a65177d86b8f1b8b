// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/gym-otelcol/gym-otelcol/test/internal/series"
)

// Backends of Prometheus' kind know a series by job and instance, which come from
// service.name and service.instance.id, and by the point's own labels.
func TestTwoRunsShareNoSeries(t *testing.T) {
	seen := map[string]string{}
	for _, run := range []string{"the first run", "the second run"} {
		f := newFixture(t, &localSite{})
		f.Command = chattyDriver
		f.run(t)
		for _, id := range instances(f) {
			if other := seen[id]; other != "" {
				t.Errorf("%s and %s share the instance %s", other, run, id)
			}
			seen[id] = run
		}
	}
	if len(seen) < 4 { // engine and driver, twice
		t.Errorf("only %d instances: %v", len(seen), slices.Collect(maps.Keys(seen)))
	}
}

// instances are the distinct service.instance.id of a run's metrics. Within a run, too, no
// two producers may share one.
func instances(f *fixture) []string {
	producers := map[string]string{}
	series.FromOTLP(f.backend.Metrics(), func(attributes pcommon.Map) bool {
		id, _ := attributes.Get("service.instance.id")
		producers[id.Str()] = producer(attributes)
		return false
	})
	return slices.Collect(maps.Keys(producers))
}

// On real Slurm an id is the job's own.
func TestInstanceHoldsJobHostAndProducer(t *testing.T) {
	f := newFixture(t, &localSite{})
	r := f.run(t)
	for _, id := range instances(f) {
		if want := r.job + "/" + hostName(t) + "/localhost:8000"; !strings.HasPrefix(id, want) {
			t.Errorf("instance %s, want %s", id, want)
		}
	}
}
