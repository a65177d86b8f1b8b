// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"path/filepath"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/progress"
)

// Delivery is what became of a job's telemetry: data points, spans and log records together.
type Delivery struct {
	Accepted    int64 `json:"accepted"`
	Delivered   int64 `json:"delivered"`
	Rejected    int64 `json:"rejected"`
	Undelivered int64 `json:"undelivered"`
	Lost        int64 `json:"lost"`
	// Ended says that the collector stopped in order: the counts are final. Otherwise the files may hold more.
	Ended     bool   `json:"ended"`
	LastError string `json:"last_error,omitempty"`
}

// Complete reports whether the backend has all of it.
func (d Delivery) Complete() bool { return d.Delivered == d.Accepted }

// withTelemetry adds what the collector wrote beside the job.
func (s subject) withTelemetry(ctx context.Context, j Job) Job {
	if s.JobID == nil || Elsewhere(s.record) != "" || j.unreachable != "" {
		return j
	}
	j.Delivery = s.delivery(ctx)
	if j.Over() && j.Delivery != nil && (j.Delivery.Undelivered > 0 || !j.Delivery.Ended) && j.Next == "" {
		j.Next = "gym-submit replay " + s.JobDir
	}
	if j.State == Running {
		j.Progress = progress.Of(ctx, s.host, s.JobDir, *s.JobID)
	}
	return j
}

func (s subject) delivery(ctx context.Context) *Delivery {
	content, err := host.ReadFile(ctx, s.host, filepath.Join(s.JobDir, "otel", delivery.FileName))
	if err != nil {
		return nil
	}
	file, err := delivery.Parse(content)
	if err != nil {
		return nil // no collector, or it has not begun
	}
	d := &Delivery{Ended: file.Ended}
	for _, signal := range otlpfile.Signals {
		one := file.Signals[signal]
		if one == nil {
			continue
		}
		d.Accepted += one.Accepted
		d.Delivered += one.Delivered
		d.Rejected += one.Rejected
		d.Undelivered += one.Undelivered
		d.Lost += one.Lost
		if one.LastError != nil && d.LastError == "" {
			d.LastError = one.LastError.Message
		}
	}
	return d
}
