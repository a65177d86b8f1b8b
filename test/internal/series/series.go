// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package series flattens metrics, be they a Prometheus page or OTLP, into single numbers
// with a name and labels, so that what was served and what was exported can be compared.
package series

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Set is the value of every series.
type Set map[string]float64

// Types is the type of every family: counter, gauge, histogram, summary.
type Types map[string]string

// Labels of one series.
type Labels map[string]string

// Key writes a series the way Prometheus does.
func Key(name string, labels Labels) string {
	var pairs []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, fmt.Sprintf("%s=%q", label, labels[label]))
	}
	return name + "{" + strings.Join(pairs, ",") + "}"
}

func (l Labels) with(name, value string) Labels {
	extended := maps.Clone(l)
	extended[name] = value
	return extended
}

// number writes a bucket bound or quantile without saying whether it was 1 or 1.0.
func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
