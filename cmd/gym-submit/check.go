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
		Short: "Check a submit file, the cluster and the backend before anything is submitted",
		Long: `Checks what validate does, and then asks the cluster and the backend: Slurm's commands,
the output path, mounts, partition, account, whether Slurm would take the job, whether the
collector runs and has all components, and whether the endpoint answers and takes the token.
It needs the token in this shell, submits nothing and leaves no file. With a hostname in
compute the cluster is asked over ssh.

The backend gets one data point, gym_submit_check with run_id gym-submit-check. Then it gets
two more that it has to refuse: with a token that does not exist, and without the attribute
that says whose data it is. Where that is answered with 200 too, a 200 proves nothing, and
the check says so. Only this machine's way to the backend is tried, not the nodes'.

One line for each finding: ok, warning, failed or skipped, and what to do about it. Exit
codes: 0 when nothing failed, 1 when something did, 2 when the file itself is wrong.`,
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
