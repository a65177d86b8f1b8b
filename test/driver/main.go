// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Command driver stands in for a benchmark in tests: it asks an engine for chat
// completions, sends telemetry of its own over both protocols of OTLP, and exits with
// the code it was told. On the side it can search all processes for a secret that none
// of them should have.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// terminated is the exit code of a program that SIGTERM ended, as a shell reports it.
const terminated = 128 + int(syscall.SIGTERM)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
	}
	os.Exit(code)
}

// report is what the driver did, printed as one line of JSON at its end.
type report struct {
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	Load  tally     `json:"load"`
	Scan  scanTally `json:"scan"`
	Exit  int       `json:"exit"`
}

func run(args []string) (code int, err error) {
	o := parse(args)
	ctx, stop := terminable(o.ignoreTerm)
	defer stop()
	fmt.Println("driver: running")
	r := report{Begin: time.Now(), Exit: o.exit}

	telemetry, err := startTelemetry(ctx, o)
	if err != nil {
		return 1, err
	}
	scanned, err := startScan(o)
	if err != nil {
		return 1, err
	}
	r.Load = runLoad(ctx, o, telemetry.request)
	telemetry.finish()
	if r.Scan, err = scanned(); err != nil {
		return 1, err
	}

	if ctx.Err() != nil {
		r.Exit = terminated
	}
	r.End = time.Now()
	return r.Exit, json.NewEncoder(os.Stdout).Encode(r)
}

// terminable is a context that SIGTERM ends, unless the driver is a stubborn one.
func terminable(ignore bool) (context.Context, context.CancelFunc) {
	if ignore {
		signal.Ignore(syscall.SIGTERM)
		return context.WithCancel(context.Background())
	}
	return signal.NotifyContext(context.Background(), syscall.SIGTERM)
}
