// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package hardening keeps what is in the collector's memory and environment from other
// processes of the same user. Import it for its effect:
//
//	import _ "github.com/gym-otelcol/gym-otelcol/internal/hardening"
//
// A benchmark runs code that a model wrote, with the uid of the user who submitted it
// and on the node where the collector runs. The collector needs the backend's token in
// an environment variable, because that is where its configuration refers to; and
// /proc/<pid>/environ of a process is open to every process of the same user. So is its
// memory, by ptrace and by a core file in a shared directory.
//
// A process that is not dumpable has none of these doors: the kernel gives its files
// below /proc to root and refuses ptrace. It can still read its own.
//
// It imports nothing but syscall, and that on purpose: Go initialises packages in the
// order of their import paths as soon as their own imports are ready, so this one runs
// about a millisecond after the start of the process; in package main, behind the
// initialisation of some six hundred packages, it would run 25 milliseconds later.
package hardening
