// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package pyprom

import (
	"math"
	"strconv"
	"strings"
)

// formatFloat writes a number as the Python client does: Python's own shortest form,
// and from seven digits before the point on an exponent as Go would write it.
func formatFloat(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	case math.IsNaN(v):
		return "NaN"
	}
	text := pythonFloat(v)
	if dot := strings.IndexByte(text, '.'); v > 0 && dot > 6 {
		mantissa := strings.TrimRight(text[:1]+"."+text[1:dot]+text[dot+1:], "0.")
		return mantissa + "e+0" + strconv.Itoa(dot-1)
	}
	return text
}

// pythonFloat is repr(v): fixed notation between 1e-4 and 1e16, always with a point.
func pythonFloat(v float64) string {
	if abs := math.Abs(v); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
