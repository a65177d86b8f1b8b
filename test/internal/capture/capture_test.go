// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package capture

import "testing"

const (
	earlier = "# TYPE a_total counter\na_total{x=\"1 2\"} 1000\n# TYPE g gauge\ng 5.0\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 3\nh_sum 1.5\n"
	later   = "# TYPE a_total counter\na_total{x=\"1 2\"} 1010\n# TYPE g gauge\ng 6.0\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 4\nh_sum 2\n"
)

func TestGoesOnAsItWent(t *testing.T) {
	got := Page{Earlier: earlier, Later: later}.At(3)
	want := "# TYPE a_total counter\na_total{x=\"1 2\"} 1030\n# TYPE g gauge\ng 5.0\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 6\nh_sum 3\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestGrowsWithoutLaterPage(t *testing.T) {
	got := Page{Earlier: earlier}.At(2)
	want := "# TYPE a_total counter\na_total{x=\"1 2\"} 1004\n# TYPE g gauge\ng 5.0\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 3\nh_sum 1.5\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
