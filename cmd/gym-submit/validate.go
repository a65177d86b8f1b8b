// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

func newValidateCommand(e *env) *cobra.Command {
	var file submitFile
	cmd := &cobra.Command{
		Use:   "validate -c FILE [-c FILE ...] [key=value ...]",
		Short: "Check a submit file without a cluster or a token",
		Long: `Checks everything that can be said of a submit file without a cluster, and prints
all problems at once, each with file, line, column and key. Exit code 2 when
there is one.`,
		Example: `  gym-submit validate -c run.yaml`,
		Args:    overridesOnly,
		RunE: func(_ *cobra.Command, args []string) error {
			file.overrides = args
			cfg, err := file.load(e)
			if err != nil {
				return err
			}
			if err := cfg.CheckDestinationKeys(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(e.stdout, "valid: services %d, benchmarks %d\n", len(cfg.Services), len(cfg.Driver.Benchmarks))
			return err
		},
	}
	cmd.ValidArgsFunction = completeOverrides(&file)
	file.addFlags(cmd)
	return cmd
}

func newVersionCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and date",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(e.stdout, version.String())
			return err
		},
	}
}
