// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"time"
)

type options struct {
	engine, model string

	requests    int
	duration    time.Duration
	until       string
	concurrency int
	maxTokens   int
	hang        bool

	otlpGRPC, otlpHTTP, serviceName string

	scanProc, needleFile, needleEnv string

	exit       int
	ignoreTerm bool
}

func parse(args []string) options {
	var o options
	flags := flag.NewFlagSet("driver", flag.ExitOnError)
	flags.StringVar(&o.engine, "engine", "", "address of the engine, such as http://localhost:8000; none sends no requests")
	flags.StringVar(&o.model, "model", "", "model to ask for")
	flags.IntVar(&o.requests, "requests", 0, "how many requests to send (0: as many as fit into -duration)")
	flags.DurationVar(&o.duration, "duration", 0, "how long to run (0: until -requests are done)")
	flags.StringVar(&o.until, "until", "", "run until this file exists, instead of for -duration")
	flags.IntVar(&o.concurrency, "concurrency", 1, "how many requests at a time")
	flags.IntVar(&o.maxTokens, "max-tokens", 0, "max_tokens of each request")
	flags.BoolVar(&o.hang, "hang-requests", false, "leave requests in flight at the end instead of waiting for them")
	flags.StringVar(&o.otlpGRPC, "otlp-grpc", "", "send telemetry by gRPC to this host:port")
	flags.StringVar(&o.otlpHTTP, "otlp-http", "", "send telemetry by HTTP to this address")
	flags.StringVar(&o.serviceName, "service-name", "my-driver", "service.name of the telemetry; empty sends none")
	flags.StringVar(&o.scanProc, "scan-proc", "", "search all processes while running and write what was found to this file")
	flags.StringVar(&o.needleFile, "needle-file", "", "search for the content of this file")
	flags.StringVar(&o.needleEnv, "needle-env", "", "search for a variable of this name")
	flags.IntVar(&o.exit, "exit", 0, "code to exit with")
	flags.BoolVar(&o.ignoreTerm, "ignore-term", false, "ignore SIGTERM")
	_ = flags.Parse(args) // ends the process itself
	return o
}
