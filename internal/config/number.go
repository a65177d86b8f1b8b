// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"math"
	"strconv"
)

// Number is an amount that may be a fraction.
type Number float64

// decode reads a number that is zero or more.
func (x *Number) decode(d *decoder, n *node, p keyPath) {
	if !d.isScalar(n, p, "a number") {
		return
	}
	value, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) || value < 0 {
		d.addf(n.at, p, "expected a number of zero or more, found %s", n.quote())
		return
	}
	*x = Number(value)
}

func (x Number) encode() *node { return &node{plain: true, text: x.String()} }

// String writes whole numbers without a fraction.
func (x Number) String() string { return strconv.FormatFloat(float64(x), 'f', -1, 64) }
