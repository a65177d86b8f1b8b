// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package tally carries what the gym processors of a process counted to the journal, which tells it in
// delivery.json: the collector's own metrics open no port in a job.
package tally // import "github.com/gym-otelcol/gym-otelcol/components/internal/tally"

import "sync/atomic"

var (
	// RenameClashes are metrics that kept their name because the new one was taken.
	RenameClashes atomic.Int64
	// AuthorizationRemoved are resource attributes of producers that were taken away.
	AuthorizationRemoved atomic.Int64
)
