// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/draft"
	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/preflight"
)

func newInitCommand(e *env) *cobra.Command {
	var d draft.Draft
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a first submit file, filled in for this cluster",
		Long: `Writes a commented submit file, run.yaml unless you give a name; "-" prints it to stdout. It
asks no questions: cluster, partition, GPUs, time limit and account are taken from Slurm, and
without Slurm the jobs run on this machine. An existing file is never overwritten.

The file is valid as written. If neither the site file nor --endpoint and --service-name say
where telemetry goes, the file switches the collector off and explains how to switch it on.`,
		Example: `  gym-submit init
  gym-submit init gpqa.yaml --endpoint https://otlp.example.com --service-name evals`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (d.Endpoint == "") != (d.ServiceName == "") {
				return usageError{errors.New("--endpoint and --service-name go together")}
			}
			file := "run.yaml"
			if len(args) == 1 {
				file = args[0]
			}
			return initFile(cmd.Context(), e, file, d)
		},
	}
	cmd.Flags().StringVar(&d.Endpoint, "endpoint", "", "OTLP/HTTP base URL of the backend")
	cmd.Flags().StringVar(&d.ServiceName, "service-name", "", "the service.name by which the backend routes")
	return cmd
}

func initFile(ctx context.Context, e *env, file string, d draft.Draft) error {
	if file != "-" {
		if _, err := os.Lstat(file); err == nil {
			return fmt.Errorf("%s is there already and stays as it is: name another file", file)
		}
	}
	run := func(ctx context.Context, args ...string) (string, error) {
		out, _, err := preflight.On{Host: host.Local{}}.Run(ctx, args...)
		return out, err
	}
	d.Facts = draft.Find(ctx, run, e.submitter().User)
	d.OutputPath = outputPath(e)
	text, err := render(e, d)
	if err != nil {
		return err
	}
	if d.Silent != "" {
		e.talk("warning: Slurm does not answer (%s): the file runs jobs on this machine. On a cluster, check with `scontrol ping` whether Slurm is up, then run init again.", d.Silent)
	}
	if file == "-" {
		_, err = e.stdout.Write(text)
		return err
	}
	if err := create(file, text); err != nil {
		return err
	}
	e.talk("Wrote %s. Review and adapt it, then:\n  gym-submit check -c %[1]s\n  gym-submit -c %[1]s\n  gym-submit status", file)
	return nil
}

// render writes the draft: on the site's file, where that says where telemetry goes, else as a
// file of its own.
func render(e *env, d draft.Draft) ([]byte, error) {
	var sources []config.Source
	site, err := siteFile(e)
	if err != nil {
		return nil, err
	}
	if site != nil {
		sources = []config.Source{*site}
		if d.Endpoint == "" {
			d.Site = true
			if text, cfg, err := valid(e, d, sources); err == nil && cfg.CheckKeys(host.IsHere) == nil {
				return text, nil
			}
			d.Site = false
		}
	}
	text, _, err := valid(e, d, sources)
	return text, siteProblems(site, err)
}

// valid makes sure that the draft is: the first file that somebody has must not be wrong.
func valid(e *env, d draft.Draft, before []config.Source) ([]byte, *config.Config, error) {
	text, err := d.Render()
	if err != nil {
		return nil, nil, err
	}
	cfg, err := config.Load(append(before, config.Source{Name: "the draft", Data: text}), nil, e.options())
	return text, cfg, err
}

// outputPath is a place for runs: scratch space where the site names some, else at home.
func outputPath(e *env) string {
	for _, name := range []string{"SCRATCH", "HOME"} {
		if dir := e.getenv(name); filepath.IsAbs(dir) {
			return filepath.Join(dir, "gym-runs")
		}
	}
	return "/tmp/gym-runs"
}

// create writes a file that must not be there, not even since a moment ago.
func create(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already and stays as it is: name another file", file)
	}
	if err != nil {
		return fmt.Errorf("write the submit file: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the submit file: %w", err)
	}
	return nil
}
