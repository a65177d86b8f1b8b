// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Command engine stands in for `vllm serve` in tests. Under the name vllm it can be
// called as the real program; what is different is set in variables, ENGINE_*.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/engine"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	a, err := parse(args)
	if err != nil {
		return 2, err
	}
	options, err := engine.FromEnvironment()
	if err != nil {
		return 2, err
	}
	options.Model = a.name()
	listener, err := net.Listen("tcp", net.JoinHostPort(a.host, a.port))
	if err != nil {
		return 1, err
	}
	fmt.Printf("engine: serving %s on http://%s\n", options.Model, listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- http.Serve(listener, engine.New(options).Handler()) }()
	return wait(ctx, failed)
}

// wait returns when the engine has to end, which is then at once: requests in flight
// are cut off.
func wait(ctx context.Context, failed <-chan error) (code int, err error) {
	death, code, err := plannedDeath()
	if err != nil {
		return 2, err
	}
	select {
	case <-ctx.Done():
		fmt.Println("engine: told to stop")
		return 0, nil
	case <-death:
		return code, fmt.Errorf("engine: dying with code %d, as ENGINE_EXIT_AFTER asked", code)
	case err := <-failed:
		return 1, err
	}
}

// plannedDeath is the failure that ENGINE_EXIT_AFTER and ENGINE_EXIT_CODE ask for.
func plannedDeath() (at <-chan time.Time, code int, err error) {
	after, err := engine.EnvDuration("ENGINE_EXIT_AFTER")
	if err != nil {
		return nil, 0, err
	}
	code, err = engine.EnvInt("ENGINE_EXIT_CODE", 1)
	if after > 0 {
		at = time.After(after)
	}
	return at, code, err
}
