// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
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
		Use:   "replay [ID|DIRECTORY ...]",
		Short: "Send the telemetry that a job's collector could not deliver",
		Long: `Reads otel/delivery.json of a job to see what was not delivered and sends it from the JSONL
files beside it to the run's endpoint. The token comes from this shell, or from the run's
otel.token_file if it has one. The id or directory of a run replays all its jobs, the directory
of a job only that one; without an argument, the newest run is replayed. For a run on another
machine, the fetched copy is replayed.

Progress is recorded in delivery.json, so an interrupted replay continues where it stopped. If
a job's collector did not record that it ended, replay waits to see whether it is still alive,
and refuses to run if it is. A batch that the backend rejects is split until only the rejected
items are left out; lines that are not telemetry are skipped.

Exit codes: 0 if everything is settled; 1 if something is left over or failed; 2 if the command
line is wrong or the token is missing.`,
		Example: `  gym-submit replay
  gym-submit replay c0ffee
  gym-submit replay /runs/gym-job-20260101T120000Z-0a1b2c
  gym-submit replay --dry-run /runs/gym-job-20260101T120000Z-0a1b2c/gpqa
  gym-submit replay --all --signal metrics --endpoint https://otlp.example.org RUN_DIRECTORY`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			words, _ := completeIDs(e)(cmd, args, toComplete)
			return words, cobra.ShellCompDirectiveDefault // directories too
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := e.replayed(args)
			if err != nil {
				return err
			}
			return r.run(cmd.Context(), e, paths)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.endpoint, "endpoint", "", "OTLP/HTTP base URL to use instead of the run's own; must be https or a loopback address unless the run has otel.insecure: true")
	flags.StringVar(&r.tokenEnv, "token-env", "", "environment variable that holds the token, instead of the run's otel.token_env or otel.token_file")
	flags.BoolVar(&r.dryRun, "dry-run", false, "show what would be sent, then stop; needs no token")
	flags.BoolVar(&r.all, "all", false, "send everything again, including what was delivered or rejected")
	flags.StringArrayVar(&r.signals, "signal", nil, "send only metrics, traces or logs; repeatable")
	flags.BoolVar(&r.json, "json", false, "print the result as JSON on stdout")
	return cmd
}

// replayed are the directories that are named: by themselves, or by a run's id.
func (e *env) replayed(words []string) (paths []string, err error) {
	var ids []string
	for _, word := range words {
		if _, err := os.Stat(word); err == nil || strings.ContainsRune(word, filepath.Separator) {
			paths = append(paths, word)
		} else {
			ids = append(ids, word)
		}
	}
	if len(words) > 0 && len(ids) == 0 {
		return paths, nil
	}
	records, err := e.records(ids)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		path := r.RunDir
		if machine := r.Machine(); machine != "" {
			if path, err = e.fetchedDir(r); err == nil {
				_, err = os.Stat(path)
			}
			if err != nil {
				return nil, fmt.Errorf("%s is on %s: bring its files here with gym-submit fetch %[1]s, then replay sends the copy", r.GymJobID, machine)
			}
		}
		paths = append(paths, path)
	}
	return paths, nil
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
