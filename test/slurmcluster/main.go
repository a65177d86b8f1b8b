// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Command slurmcluster runs a private Slurm on this machine until it is told to stop,
// and prints the line that makes a shell use it:
//
//	slurmcluster >env & ...; . ./env; sinfo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/slurmcluster"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "slurmcluster:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	cluster, err := slurmcluster.New(parse(args))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	for _, variable := range cluster.Env() {
		fmt.Println("export " + variable)
	}
	<-ctx.Done()
	return nil
}

func parse(args []string) slurmcluster.Options {
	var o slurmcluster.Options
	flags := flag.NewFlagSet("slurmcluster", flag.ExitOnError)
	flags.StringVar(&o.Dir, "dir", "", "short path of a directory to use (default a temporary one)")
	flags.IntVar(&o.Nodes, "nodes", 1, "nodes, all of them this host")
	flags.IntVar(&o.CPUs, "cpus", 8, "CPUs of a node")
	flags.IntVar(&o.GPUs, "gpus", 8, "GPUs of a node, -1 for none")
	flags.IntVar(&o.Memory, "memory", 8000, "memory of a node in MB")
	flags.BoolVar(&o.Accounting, "accounting", false, "with slurmdbd and a database, for sacct and sacctmgr")
	flags.DurationVar(&o.KillWait, "kill-wait", 5*time.Second, "time between TERM and KILL")
	flags.Func("conf", "a further line of slurm.conf (may be repeated)", func(line string) error {
		o.Extra = append(o.Extra, line)
		return nil
	})
	_ = flags.Parse(args) // ends the process itself
	return o
}
