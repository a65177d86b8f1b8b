// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/local"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/replay"
)

// replaying is one call of `gym-submit replay`.
type replaying struct {
	endpoint          string
	tokenEnv          string
	signals           []string
	dryRun, all, json bool
}

func newReplayCommand(e *env) *cobra.Command {
	var r replaying
	cmd := &cobra.Command{
		Use:   "replay DIRECTORY [DIRECTORY ...]",
		Short: "Send what a job's collector could not deliver",
		Long: `Sends what otel/delivery.json of a job says is not delivered, from the files
beside it, to the endpoint of the run, with the token of this shell, or of the
run's otel.token_file if it has one. Names run
directories, which stand for all their jobs, or job directories.

What was sent is noted in delivery.json: interrupted and started again, it goes
on where it was. It waits until a collector that has not said that it ended
shows no sign of life, and refuses if it does. What the backend refuses as data
is halved down to the refused items; lines that are no telemetry are skipped.

Exit codes: 0 when all is settled; 1 when something is left or failed; 2 when
the command line is wrong or the token is missing.`,
		Example: `  gym-submit replay /runs/gym-job-20260101T120000Z-0a1b2c
  gym-submit replay --dry-run /runs/gym-job-20260101T120000Z-0a1b2c/gpqa
  gym-submit replay --all --signal metrics --endpoint https://otlp.example.org RUN_DIRECTORY`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{errors.New("no directory: name a run's directory, or one of its jobs'\nSee: gym-submit replay --help")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), e, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&r.endpoint, "endpoint", "", "OTLP/HTTP base URL instead of the run's own; https, or a loopback address, unless the run has otel.insecure: true")
	flags.StringVar(&r.tokenEnv, "token-env", "", "environment variable that has the token, instead of what the run says (otel.token_env or otel.token_file)")
	flags.BoolVar(&r.dryRun, "dry-run", false, "say what would be sent and stop; needs no token")
	flags.BoolVar(&r.all, "all", false, "send everything once more, what was delivered or rejected too")
	flags.StringArrayVar(&r.signals, "signal", nil, "metrics, traces or logs alone; may be given several times")
	flags.BoolVar(&r.json, "json", false, "print the result as JSON on stdout")
	return cmd
}

// memoryGoal makes the collector of garbage work harder where lines are very long.
const memoryGoal = 150 << 20

func (r *replaying) run(ctx context.Context, e *env, paths []string) error {
	signals, err := signalsOf(r.signals)
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(memoryGoal)
	if !r.dryRun {
		local.CloseMemory() // the token is in it
	}
	jobs, err := replay.Find(paths, replay.Where{Endpoint: r.endpoint, TokenEnv: r.tokenEnv, WithToken: !r.dryRun, Config: e.options()})
	if err != nil {
		if mistake, ok := errors.AsType[replay.Mistake](err); ok {
			return usageError{mistake}
		}
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	talk := newReplayTalk(e.stderr)
	report := replay.Run(ctx, jobs, replay.Options{
		Signals: signals, All: r.all, DryRun: r.dryRun, Talk: talk.line, Progress: talk.progress,
	})
	talk.end()
	if err := printReplay(e, report, r.json); err != nil {
		return err
	}
	if !r.dryRun && !report.Settled() || r.dryRun && failed(report) {
		return exitError{exitFailed}
	}
	return nil
}

func signalsOf(names []string) (signals []otlpfile.Signal, err error) {
	for _, name := range names {
		if !slices.Contains(otlpfile.Signals, otlpfile.Signal(name)) {
			return nil, usageError{fmt.Errorf("--signal %s: there are metrics, traces and logs", name)}
		}
		signals = append(signals, otlpfile.Signal(name))
	}
	return signals, nil
}

func failed(report *replay.Report) bool {
	return slices.ContainsFunc(report.Jobs, func(j *replay.JobReport) bool { return j.Error != "" })
}
