// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/stopclock"
)

// lastMoment is when the process ends after it was told to, whatever still hangs: a client that sends half a
// request keeps an OTLP receiver from stopping for ever. The journal has written its last word by then.
const lastMoment = 24 * time.Second

func init() {
	// The collector answers its health check a moment before it listens for signals, and whoever stops it in
	// between would kill it. A subcommand (validate, components) has nothing to bring to its end.
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-") {
		stopclock.Watch()
	}
	go func() {
		<-stopclock.Told()
		time.Sleep(lastMoment)
		fmt.Fprintf(os.Stderr, "gym-otelcol: not stopped %v after the signal; ending now\n", lastMoment)
		os.Exit(1)
	}()
}
