// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package bench compares gym-otelcol with what others ship for the same work. Every figure is a ratio of two
// things measured in turns, or side by side, within one run: whatever else the machine does meets both alike.
//
//	make bench
//
// "Upstream" is the composition that NeMo Gym's own submit renders for the stock collector: the transform,
// resource and batch processors, the file exporter, and otlp_http with its queue.
package bench
