// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/preflight"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
)

func newCheckCommand(e *env) *cobra.Command {
	var (
		file   submitFile
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "check -c FILE [-c FILE ...] [key=value ...]",
		Short: "Test a submit file, the cluster and the backend without submitting anything",
		Long: `Does everything that validate does, then tests the cluster and the backend: Slurm's commands,
the output path, mounts, partition and account, whether Slurm would accept the job, whether
the collector starts and has all components, and whether the endpoint answers and accepts the
token. The token must be set in this shell. Nothing is submitted and no file is left behind.
If compute has a hostname, the cluster is tested over ssh.

The backend receives one data point, gym_submit_check, with run_id gym-submit-check. As a
control, it is then sent two requests that it should refuse: one with a wrong token and one
without the attribute that identifies the tenant. If the backend answers 200 to those as
well, a 200 proves nothing, and check says so. Only the network path from this machine is
tested, not the one from the compute nodes.

Prints one line per finding: ok, warning, failed or skipped, with what to do about it. Exit
codes: 0 if nothing failed, 1 if something did, 2 if the submit file itself is wrong.`,
		Example: `  gym-submit check -c run.yaml
  gym-submit check -c site.yaml -c run.yaml --json`,
		Args: overridesOnly,
		RunE: func(cmd *cobra.Command, args []string) error {
			file.overrides = args
			return check(cmd.Context(), e, &file, asJSON)
		},
	}
	cmd.ValidArgsFunction = completeOverrides(&file)
	file.addFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as a JSON list")
	return cmd
}

func check(ctx context.Context, e *env, file *submitFile, asJSON bool) error {
	cfg, err := file.load(e)
	if err != nil {
		return err
	}
	if err := cfg.CheckKeys(host.IsHere); err != nil {
		return err
	}
	by := e.submitter()
	plan, err := run.NewPlan(cfg, e.newID(e.now()), by)
	if err != nil {
		return err
	}
	p := preflight.Preflight{
		Config: cfg, Options: e.options(), By: by, Plan: plan,
		Machine: preflight.On{Host: e.hosts.Of(cfg.Compute[0].Value.Hostname), TokenEnv: cfg.Otel.TokenEnv},
	}
	if !asJSON {
		p.Found = func(f preflight.Finding) { printFinding(e, f) }
	}
	findings := p.Run(ctx)
	if asJSON {
		if err := printJSON(e, findings); err != nil {
			return err
		}
	}
	if !preflight.Passed(findings) {
		return exitError{exitFailed}
	}
	return nil
}

func printFinding(e *env, f preflight.Finding) {
	fmt.Fprintf(e.stdout, "%s %s: %s\n", e.paint().finding(f.State), f.Check, f.Says)
	if f.Do != "" {
		fmt.Fprintf(e.stdout, "        do: %s\n", f.Do)
	}
}
