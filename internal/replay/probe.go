// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// Answer is what a backend said to a single request.
type Answer struct {
	Status   int  // 0 when there was no answer
	Taken    bool // it answered as OTLP wants it
	Rejected int64
	Message  string // without the token
}

// Probe sends one request the way a replay does, once. Without a tenant the resources are not
// stamped with one.
func Probe(ctx context.Context, job Job, tenant string, metrics pmetric.Metrics) Answer {
	if tenant != "" {
		stamp(metrics, tenant)
	}
	body, err := encode(metrics)
	if err != nil {
		return Answer{Message: err.Error()}
	}
	const patience = 20 * time.Second
	c := newClient(job, patience)
	defer c.http.CloseIdleConnections()
	r := c.post(ctx, otlpfile.Metrics, body)
	return Answer{Status: r.status, Taken: r.class == classOK, Rejected: r.rejected, Message: r.message}
}
