// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

func newValidateCommand(e *env) *cobra.Command {
	var (
		file   submitFile
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "validate -c FILE [-c FILE ...] [key=value ...]",
		Short: "Check a submit file; needs neither a cluster nor a token",
		Long: `Checks everything about a submit file that can be checked without a cluster. All problems are
printed at once, each with its file, line, column and key. The exit code is 2 if there are any.`,
		Example: `  gym-submit validate -c run.yaml
  gym-submit validate -c run.yaml --json | jq '.problems[].message'`,
		Args: overridesOnly,
		RunE: func(_ *cobra.Command, args []string) error {
			file.overrides = args
			cfg, err := file.load(e)
			if err == nil {
				err = cfg.CheckKeys(host.IsHere)
			}
			if asJSON {
				return printValidation(e, cfg, err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(e.stdout, "valid: services %d, benchmarks %d\n", len(cfg.Services), len(cfg.Driver.Benchmarks))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON on stdout")
	cmd.ValidArgsFunction = completeOverrides(&file)
	file.addFlags(cmd)
	return cmd
}

// validation is what validate --json prints.
type validation struct {
	Valid    bool            `json:"valid"`
	Problems config.Problems `json:"problems"`
	Warnings []string        `json:"warnings"`
}

// printValidation prints problems of the file; others, such as a file that is not there, are errors as ever.
func printValidation(e *env, cfg *config.Config, err error) error {
	result := validation{Problems: config.Problems{}, Warnings: []string{}}
	problems, isProblem := errors.AsType[config.Problems](err)
	switch {
	case isProblem:
		result.Problems = problems
	case err != nil:
		return err
	}
	result.Valid = err == nil
	if cfg != nil {
		result.Warnings = append(result.Warnings, cfg.Warnings()...)
	}
	if err := printJSON(e, result); err != nil {
		return err
	}
	if !result.Valid {
		return exitError{exitUsage}
	}
	return nil
}

func newVersionCommand(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and date",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(e, map[string]string{
					"version": version.Version, "commit": version.Commit, "date": version.Date,
					"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintln(e.stdout, version.String())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON on stdout")
	return cmd
}
