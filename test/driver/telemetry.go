// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// flushTime bounds what a dead collector can cost.
const flushTime = 5 * time.Second

// telemetry is what the driver tells about itself, over each protocol that was asked
// for: a span of the whole run, log records at its begin and end, a counter of requests.
// Each is called by the protocol, `my-driver.grpc` and `my-driver.http`.
type telemetry []*channel

// channel is one protocol.
type channel struct {
	name     string
	span     trace.Span
	logger   log.Logger
	requests metric.Int64Counter

	closers []func(context.Context) error
}

func startTelemetry(ctx context.Context, o options) (telemetry, error) {
	var all telemetry
	for _, protocol := range []struct {
		name, endpoint string
		exporters      func(context.Context, string) (exporters, error)
	}{
		{"my-driver.grpc", o.otlpGRPC, grpcExporters},
		{"my-driver.http", o.otlpHTTP, httpExporters},
	} {
		if protocol.endpoint == "" {
			continue
		}
		e, err := protocol.exporters(ctx, protocol.endpoint)
		if err != nil {
			return nil, err
		}
		c, err := open(ctx, protocol.name, e, serviceResource(o.serviceName))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// serviceResource has the service's name, or nothing at all, as with a producer that
// does not say who it is.
func serviceResource(name string) *resource.Resource {
	if name == "" {
		return resource.Empty()
	}
	return resource.NewSchemaless(attribute.String("service.name", name))
}

func open(ctx context.Context, name string, e exporters, res *resource.Resource) (*channel, error) {
	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(e.traces), sdktrace.WithResource(res))
	logs := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(e.logs)), sdklog.WithResource(res))
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(e.metrics)), sdkmetric.WithResource(res))
	requests, err := metrics.Meter(name).Int64Counter(name + ".requests")
	if err != nil {
		return nil, err
	}
	c := &channel{
		name: name, logger: logs.Logger(name), requests: requests,
		closers: []func(context.Context) error{traces.Shutdown, logs.Shutdown, metrics.Shutdown},
	}
	_, c.span = traces.Tracer(name).Start(ctx, name+".run")
	c.log("begin")
	c.requests.Add(ctx, 0) // a run without requests has a metric too
	return c, nil
}

func (c *channel) log(text string) {
	var record log.Record
	record.SetTimestamp(time.Now())
	record.SetSeverity(log.SeverityInfo)
	record.SetBody(attribute.StringValue(c.name + ": " + text))
	c.logger.Emit(context.Background(), record)
}

// request counts one request.
func (t telemetry) request() {
	for _, c := range t {
		c.requests.Add(context.Background(), 1)
	}
}

// finish sends everything. A collector that does not take it is reported, but changes
// nothing about the run.
func (t telemetry) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	for _, c := range t {
		c.log("end")
		c.span.End()
		for _, shutdown := range c.closers {
			if err := shutdown(ctx); err != nil {
				fmt.Fprintf(os.Stderr, "driver: %s: %v\n", c.name, err)
			}
		}
	}
}
