// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"errors"
	"net"
	"testing"
)

// FreePort is a port of 127.0.0.1 that nobody listens on right now.
func FreePort(tb testing.TB) int {
	tb.Helper()
	ports, err := FreePorts(1)
	if err != nil {
		tb.Fatal(err)
	}
	return ports[0]
}

// FreePorts are n different free ports. They are all held before one is let go, or the
// same could come twice.
func FreePorts(n int) (ports []int, err error) {
	var held []net.Listener
	defer func() {
		for _, listener := range held {
			err = errors.Join(err, listener.Close())
		}
	}()
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		held = append(held, listener)
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
