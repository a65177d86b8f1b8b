// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"path/filepath"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/progress"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

// Delivery is what became of a job's telemetry: data points, spans and log records together.
type Delivery struct {
	Accepted    int64 `json:"accepted"`
	Delivered   int64 `json:"delivered"`
	Rejected    int64 `json:"rejected"`
	Undelivered int64 `json:"undelivered"`
	Lost        int64 `json:"lost"`
	// Ended says that the collector stopped in order: the counts are final.
	Ended     bool   `json:"ended"`
	LastError string `json:"last_error,omitempty"`
}

// Complete reports whether the backend has all of it.
func (d Delivery) Complete() bool { return d.Delivered == d.Accepted }

// withTelemetry adds what the collector wrote beside the job.
func withTelemetry(r *run.Record, b run.BenchmarkRecord, j Job) Job {
	if b.JobID == nil || Elsewhere(r) != "" {
		return j
	}
	if j.Delivery = deliveryOf(b.JobDir); j.Over() && j.Delivery != nil && j.Delivery.Undelivered > 0 && j.Next == "" {
		j.Next = "gym-submit replay " + b.JobDir
	}
	if j.State == Running {
		j.Progress = progress.Of(b.JobDir, *b.JobID)
	}
	return j
}

func deliveryOf(jobDir string) *Delivery {
	file, err := delivery.Load(filepath.Join(jobDir, "otel"))
	if err != nil {
		return nil // no collector, or it has not begun
	}
	d := &Delivery{Ended: file.Ended}
	for _, signal := range otlpfile.Signals {
		s := file.Signals[signal]
		if s == nil {
			continue
		}
		d.Accepted += s.Accepted
		d.Delivered += s.Delivered
		d.Rejected += s.Rejected
		d.Undelivered += s.Undelivered
		d.Lost += s.Lost
		if s.LastError != nil && d.LastError == "" {
			d.LastError = s.LastError.Message
		}
	}
	return d
}
