// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// Facts are what the machine says of itself.
type Facts struct {
	Slurm bool
	// Silent has sinfo's words where it is installed and no Slurm answered it.
	Silent    string
	Cluster   string
	Partition Partition
	// Partitions are all that there are, the chosen one included.
	Partitions []string
	Account    string
	Accounts   []string
	// Images says that srun can start them.
	Images bool
}

// Partition is a part of the cluster.
type Partition struct {
	Name string
	GPUs int // of a node
	// Limit is the longest walltime, 0 when there is none or none that can be read.
	Limit     time.Duration
	isDefault bool
}

// Walltime is an hour, or as long as the partition allows.
func (p Partition) Walltime() string {
	limit := time.Hour
	if p.Limit > 0 {
		limit = min(limit, p.Limit)
	}
	minutes := max(1, int(limit.Minutes()))
	return strconv.Itoa(minutes)
}

// Runner runs a command and returns what it printed.
type Runner func(ctx context.Context, args ...string) (string, error)

// Find asks Slurm, where there is one; what cannot be found out stays empty.
func Find(ctx context.Context, run Runner, user string) Facts {
	f := Facts{Cluster: "here", Account: user}
	out, err := run(ctx, "sinfo", "--noheader", "--format=%P|%G|%l|%a")
	if err != nil {
		if !errors.Is(err, exec.ErrNotFound) {
			f.Silent = host.OneLine(err.Error())
		}
		return f
	}
	f.Slurm = true
	f.choose(partitionsOf(out))
	if out, err = run(ctx, "scontrol", "show", "config"); err == nil {
		if m := clusterName.FindStringSubmatch(out); m != nil {
			f.Cluster = m[1]
		}
	}
	f.accounts(ctx, run, user)
	if out, err = run(ctx, "srun", "--help"); err == nil {
		f.Images = strings.Contains(out, "--container-image")
	}
	return f
}

var clusterName = regexp.MustCompile(`(?m)^ClusterName\s*=\s*([A-Za-z0-9._-]+)\s*$`)

// accounts are the user's; the default one is taken.
func (f *Facts) accounts(ctx context.Context, run Runner, user string) {
	out, err := run(ctx, "sacctmgr", "--noheader", "--parsable2", "show", "associations", "user="+user, "format=account")
	if err != nil {
		return
	}
	f.Accounts = slices.Compact(slices.Sorted(strings.FieldsSeq(out)))
	if len(f.Accounts) > 0 {
		f.Account = f.Accounts[0]
	}
	out, err = run(ctx, "sacctmgr", "--noheader", "--parsable2", "show", "user", user, "format=defaultaccount")
	if first, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); err == nil && first != "" {
		f.Account = first
	}
}

// choose takes a partition with GPUs, the default one if it has some, else the default one.
func (f *Facts) choose(all []Partition) {
	rank := func(p Partition) int {
		switch {
		case p.GPUs > 0 && p.isDefault:
			return 0
		case p.GPUs > 0:
			return 1
		case p.isDefault:
			return 2
		}
		return 3
	}
	for _, p := range all {
		if !slices.Contains(f.Partitions, p.Name) {
			f.Partitions = append(f.Partitions, p.Name)
		}
		if f.Partition.Name == "" || rank(p) < rank(f.Partition) {
			f.Partition = p
		}
	}
}

// gpus is the number in gpu:8, gpu:h100:8(S:0-1), and so on.
var gpus = regexp.MustCompile(`(?:^|,)gpu(?::[^:,(]+)?:(\d+)`)

func partitionsOf(sinfo string) []Partition {
	var all []Partition
	for line := range strings.Lines(sinfo) {
		field := strings.Split(strings.TrimSpace(line), "|")
		if len(field) != 4 || field[3] != "up" {
			continue
		}
		p := Partition{Limit: limitOf(field[2])}
		p.Name, p.isDefault = strings.CutSuffix(field[0], "*")
		if m := gpus.FindStringSubmatch(field[1]); m != nil {
			p.GPUs, _ = strconv.Atoi(m[1])
		}
		all = append(all, p)
	}
	return all
}

// limitOf reads sinfo's time limit.
func limitOf(text string) time.Duration {
	limit, err := config.ParseWalltime(text)
	if err != nil {
		return 0
	}
	return limit
}
