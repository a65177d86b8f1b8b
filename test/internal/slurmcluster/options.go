// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package slurmcluster runs a private Slurm on this machine: munged, slurmctld and one
// or more slurmd, all on loopback, with everything they write in one directory. Nothing
// of the system's own Slurm is touched.
//
// It needs root, because slurmd switches to the user of a job. Jobs may be submitted by
// any user of this machine: every directory on the way to slurm.conf and to munge's
// socket is open to all, and munge vouches for the uid of whoever connects.
package slurmcluster

import (
	"time"
)

// Options describe the cluster. The zero value is one node with 8 CPUs and 8 GPUs.
type Options struct {
	// Dir is where everything is written. It must be short: munge's socket lies in it,
	// and the path of a socket has at most 107 bytes. Empty means a new directory below
	// the system's temporary one, removed at the end.
	Dir string

	Nodes  int // n1, n2, ..., which are all this host; default 1
	CPUs   int // of a node, whatever the machine really has; default 8
	GPUs   int // of a node, counted only; default 8, less than 0 for none
	Memory int // of a node, in MB; default 8000
	// JobMemory is what a job gets that asks for none; default 100, so that several run
	// side by side.
	JobMemory int

	// Accounting runs slurmdbd with a database of its own too, so that sacct and sacctmgr answer.
	Accounting bool

	// KillWait is the time between TERM and KILL; default 5 s, the least is 1 s.
	KillWait time.Duration

	// Extra are further lines of slurm.conf. A line with a key that is there already
	// replaces nothing: Slurm takes the last one.
	Extra []string
}

func (o Options) withDefaults() Options {
	orDefault := func(value *int, fallback int) {
		if *value == 0 {
			*value = fallback
		}
	}
	orDefault(&o.Nodes, 1)
	orDefault(&o.CPUs, 8)
	orDefault(&o.GPUs, 8)
	orDefault(&o.Memory, 8000)
	orDefault(&o.JobMemory, 100)
	if o.KillWait == 0 {
		o.KillWait = 5 * time.Second
	}
	return o
}
