// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// partitions compares the pools' partitions with those that there are, and reports whether Slurm
// answers at all: whoever hears nothing from it must not say what it thinks of the job.
func (p *Preflight) partitions(ctx context.Context) bool {
	_, cluster := p.Config.Cluster()
	out, said, err := p.Machine.Run(ctx, "sinfo", "--noheader", "--all", "--format=%R|%a")
	if err != nil {
		p.add(Finding{"partition", Failed, "Slurm does not answer sinfo: " + reason(said, err), "see whether the cluster is up: scontrol ping"})
		p.add(Finding{"request", Skipped, "whether Slurm would take the job is not known: it does not answer", ""})
		return false
	}
	up := map[string]string{}
	var all []string
	for line := range strings.Lines(out) {
		name, state, found := strings.Cut(strings.TrimSpace(line), "|")
		if found && !slices.Contains(all, name) {
			all = append(all, name)
			up[name] = state
		}
	}
	for _, pool := range cluster.NodePools {
		key := p.key("node_pools." + pool.Name + ".partition")
		// A job may name several, and Slurm takes the first that has room.
		for name := range strings.SplitSeq(pool.Value.Partition, ",") {
			switch state, there := up[name]; {
			case !there:
				p.add(Finding{"partition", Failed, "there is no partition " + name, fmt.Sprintf("change %s; there are: %s", key, strings.Join(all, ", "))})
			case state != "up":
				p.add(Finding{"partition", Warning, fmt.Sprintf("partition %s is %s: jobs wait there", name, state), "wait, or change " + key})
			default:
				p.add(Finding{"partition", OK, "partition " + name + " is up", ""})
			}
		}
	}
	return true
}

// account looks for the user's right to the account, where Slurm keeps books.
func (p *Preflight) account(ctx context.Context) {
	_, cluster := p.Config.Cluster()
	out, said, err := p.shell(ctx, `sacctmgr --noheader --parsable2 show associations user="$(id -un)" format=account`)
	if err != nil {
		p.add(Finding{"account", Skipped, "this cluster keeps no accounts that could be asked: " + reason(said, err), ""})
		return
	}
	var accounts []string
	for name := range strings.FieldsSeq(out) {
		if !slices.Contains(accounts, name) {
			accounts = append(accounts, name)
		}
	}
	switch {
	case len(accounts) == 0:
		p.add(Finding{"account", Skipped, "Slurm's accounting does not know you" + p.where() + ", or does not say so", ""})
	case slices.Contains(accounts, cluster.Account):
		p.add(Finding{"account", OK, "you may use the account " + cluster.Account, ""})
	default:
		p.add(Finding{
			"account", Failed, "you have no right to the account " + cluster.Account,
			fmt.Sprintf("change %s; yours are: %s", p.key("account"), strings.Join(accounts, ", ")),
		})
	}
}

// request has Slurm judge what one job asks for: partition, account, nodes, GPUs, walltime and
// all extra options together. The jobs of a run differ in nothing of that.
func (p *Preflight) request(ctx context.Context) {
	if len(p.Plan.Benchmarks) == 0 {
		return
	}
	head, _, _ := strings.Cut(string(p.Plan.Benchmarks[0].Script), "\n\n")
	_, said, err := p.shell(ctx, `printf '%s\ntrue\n' "$1" | sbatch --test-only`, head)
	said = strings.ReplaceAll(oneLine(said), "sbatch: ", "")
	if err != nil {
		p.add(Finding{
			"request", Failed, "Slurm would refuse the job: " + reason(said, err),
			"change what it objects to below " + strings.TrimSuffix(p.key(""), "."),
		})
		return
	}
	p.add(Finding{"request", OK, "Slurm would take the job: " + said, ""})
}
