// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package stopclock knows when the process was told to stop. The collector tells its components one after
// another and without a deadline, so the first of them would use up the time of all others.
package stopclock

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

var (
	once sync.Once
	told = make(chan struct{})
)

// Told is closed once the process was told to stop, if Watch was called before.
func Told() <-chan struct{} { return told }

// Watch begins to look for SIGTERM and SIGINT and returns what Told returns.
//
// The collector itself listens only once all components have started. A signal in between would be seen here
// alone, and the collector would run on; so the signal is raised again every second. That changes nothing for
// a collector that is stopping already.
func Watch() <-chan struct{} {
	once.Do(func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
		go func() {
			first := <-signals
			close(told)
			for {
				time.Sleep(time.Second)
				if self, err := os.FindProcess(os.Getpid()); err == nil {
					_ = self.Signal(first) // it runs, so there is nobody to tell
				}
			}
		}()
	})
	return told
}
