// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// copiesPerRound is how many copies of the input are made at a time, off the clock: a processor changes what it gets,
// so it cannot be given the same data twice.
const copiesPerRound = 64

// work is one way to do it: what is done with copiesPerRound copies of the input.
type work struct {
	name string
	do   func()
}

type cost struct {
	processor time.Duration
	allocs    uint64
}

// inTurns measures the first against each of the others, one round of each in turn, and reports what one of the
// copiesPerRound pieces costs: processor time of the whole process and allocations.
func inTurns(b *testing.B, prepare func(), all ...work) {
	b.Helper()
	costs := make([]cost, len(all))
	rounds := 0
	for b.Loop() {
		for i, w := range all {
			prepare()
			runtime.GC() // what prepare left behind is not the work's
			costs[i].add(w.do)
		}
		rounds++
	}
	pieces := float64(rounds * copiesPerRound)
	b.ReportMetric(0, "ns/op") // a round with its copies says nothing
	for i, w := range all {
		b.ReportMetric(float64(costs[i].processor.Nanoseconds())/pieces, w.name+"-ns")
		b.ReportMetric(float64(costs[i].allocs)/pieces, w.name+"-allocs")
		if i > 0 {
			b.ReportMetric(float64(costs[i].processor)/float64(costs[0].processor), w.name+"/"+all[0].name)
		}
	}
}

// add does the work and adds what it cost.
func (c *cost) add(do func()) {
	allocsBefore := allocations()
	processorBefore := processorTime()
	do()
	c.processor += processorTime() - processorBefore
	c.allocs += allocations() - allocsBefore
}

func processorTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

func allocations() uint64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.Mallocs
}
