// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// addProcess adds the families of the Python interpreter and of the process. They have
// no colon and no engine labels, which is what makes them worth having here.
func (p page) addProcess() {
	r := p.registry
	collected := r.Counter("python_gc_objects_collected", "Objects collected.", "generation").WithoutCreated()
	uncollectable := r.Counter("python_gc_objects_uncollectable", "Objects that could not be collected.", "generation").WithoutCreated()
	collections := r.Counter("python_gc_collections", "Collections of a generation.", "generation").WithoutCreated()
	for _, generation := range []string{"0", "1", "2"} {
		collected.With(generation)
		uncollectable.With(generation)
		collections.With(generation)
	}
	r.Gauge("python_info", "Python platform.", "implementation", "major", "minor", "patchlevel", "version").
		With("CPython", "3", "12", "11", "3.12.11").Set(1)
	virtual := r.Gauge("process_virtual_memory_bytes", "Virtual memory.").With()
	resident := r.Gauge("process_resident_memory_bytes", "Resident memory.").With()
	r.Gauge("process_start_time_seconds", "Start of the process.").With().Set(float64(time.Now().UnixMilli()) / 1e3)
	cpu := r.Counter("process_cpu_seconds", "CPU time.").WithoutCreated().With()
	files := r.Gauge("process_open_fds", "Open file descriptors.").With()
	r.Gauge("process_max_fds", "Most open file descriptors.").With().Set(maxFiles())
	r.BeforePage(func() {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		virtual.Set(float64(memory.Sys))
		resident.Set(float64(memory.HeapInuse + memory.StackInuse))
		cpu.Set(cpuSeconds())
		files.Set(openFiles())
		collections.With("0").Set(float64(memory.NumGC))
		collected.With("0").Set(float64(memory.Frees))
	})
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func openFiles() float64 {
	entries, _ := os.ReadDir("/proc/self/fd")
	return float64(len(entries))
}

func maxFiles() float64 {
	var limit syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return float64(limit.Cur)
}
