// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboards

import (
	"math"
	"slices"
	"testing"
)

// numbersRight looks at panels whose values follow from what the stand-ins do.
func numbersRight(t *testing.T, s *screen, m model) {
	for _, c := range []struct {
		panel string
		query int
		label string // and its value, of the series to look at; empty is the only one
		value string
		want  float64 // the largest value of the series
		near  float64
	}{
		{panel: "Engines", want: 2},
		{panel: "Unreachable", want: 2}, // both, for their first three seconds
		{panel: "Running", want: 4},     // the driver's concurrency
		{panel: "TTFT SLO", want: 1},
		{panel: "5xx ratio", want: 0},
		{panel: "Acceptance rate", want: .5, near: .01},
		{panel: "Acceptance length", want: 2, near: .01},
		{panel: "Acceptance by position", label: "position", value: "0", want: .75, near: .01},
		{panel: "Acceptance by position", label: "position", value: "1", want: .25, near: .01},
		{panel: "GPU memory used", label: "gpu", value: "0", want: 16 << 20},
		{panel: "GPU power", label: "gpu", value: "0", want: 170.582, near: .001},
		{panel: "Phases", label: "gym_service", value: "policy", want: 4},
		{panel: "Output length", query: 2, want: 12, near: 60}, // policy's answers and the recorded ones
	} {
		values := s.course(t, m, c.panel, c.query, c.label, c.value)
		if len(values) == 0 {
			t.Errorf("%s: no series with %s=%s", c.panel, c.label, c.value)
			continue
		}
		if got := slices.Max(values); math.Abs(got-c.want) > c.near*max(1, c.want) {
			t.Errorf("%s is %v at most, want %v", c.panel, got, c.want)
		}
	}
	phases := s.course(t, m, "Phases", 0, "gym_service", "policy")
	for _, phase := range []float64{0, 1, 2, 4} {
		if !slices.Contains(phases, phase) {
			t.Errorf("Phases never shows %v: %v", phase, phases)
		}
	}
	if served := s.course(t, m, "Durations", 4, "", ""); len(served) != 1 || served[0] <= 0 {
		t.Errorf("output tok/s while serving: %v", served)
	}
}

// course is the values of one series of a panel.
func (s *screen) course(t *testing.T, m model, title string, query int, label, value string) (values []float64) {
	t.Helper()
	for _, outer := range m.Panels {
		for _, p := range append(outer.Panels, outer) {
			if p.Title != title || len(p.Targets) <= query {
				continue
			}
			r, err := s.ask(p.Targets[query].Expr, p.Targets[query].Instant)
			if err != nil {
				t.Fatalf("%s: %v", title, err)
			}
			for _, one := range r.Result {
				if label != "" && one.Metric[label] != value {
					continue
				}
				for _, sample := range append(one.Values, one.Value) {
					if v, err := sample.value(); err == nil && !math.IsNaN(v) {
						values = append(values, v)
					}
				}
			}
			return values
		}
	}
	t.Fatalf("there is no panel %s", title)
	return nil
}
