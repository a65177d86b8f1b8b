// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Command ingest stands in for the routing proxy in front of an OTLP/HTTP backend. It
// prints its address on standard output and records what it is sent.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ingest:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	options, record := parse(args)
	if record != "" {
		file, err := os.OpenFile(record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		options.Record = file
	}
	server, err := ingest.New(options)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintln(out, server.URL)
	<-ctx.Done()
	return nil
}

func parse(args []string) (options ingest.Options, record string) {
	flags := flag.NewFlagSet("ingest", flag.ExitOnError)
	f := &options.Faults
	flags.StringVar(&options.Listen, "listen", "127.0.0.1:0", "address to listen on")
	flags.StringVar(&record, "record", "", "append every request to this file, one JSON object a line")
	flags.StringVar(&options.Token, "token", "", "answer 401 to any other bearer token")
	flags.IntVar(&f.Status, "status", 0, "answer this status instead of taking data")
	flags.DurationVar(&f.RetryAfter, "retry-after", 0, "header sent with -status")
	flags.DurationVar(&f.Delay, "delay", 0, "wait before each answer")
	flags.BoolVar(&f.Hang, "hang", false, "never answer")
	flags.BoolVar(&f.HTML, "html", false, "answer 200 with a page of HTML")
	flags.StringVar(&f.Redirect, "redirect", "", "answer 307 to this address")
	flags.Int64Var(&f.Reject, "reject", 0, "reject this many items of each request")
	flags.Func("signals", "comma list of signals that the faults concern (default all)", func(list string) error {
		for name := range strings.SplitSeq(list, ",") {
			f.Signals = append(f.Signals, ingest.Signal(name))
		}
		return nil
	})
	_ = flags.Parse(args) // ends the process itself
	return options, record
}
