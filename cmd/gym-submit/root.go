// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/history"
	"github.com/gym-otelcol/gym-otelcol/internal/submit"
	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // anything that is not the user's file or command line, named
	exitUsage  = 2 // the command line or the config is wrong, a missing token or key included
	// exitInterrupted is what a shell says of a program that a Ctrl-C ended.
	exitInterrupted = 130
)

// exitError carries an exit code whose reason has been printed, or is not an error at all.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// usageError is a mistake on the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func execute(ctx context.Context, args []string, e *env) int {
	root := newRootCommand(e)
	root.SetArgs(args)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	defer e.hosts.Close()
	err := root.ExecuteContext(ctx)
	var exit exitError
	if err != nil && !errors.As(err, &exit) {
		e.talk("%v", err)
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var (
		exit     exitError
		usage    usageError
		problems config.Problems
		refusal  *submit.Refusal
		mismatch *history.MatchError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage), errors.As(err, &problems), errors.As(err, &refusal), errors.As(err, &mismatch):
		return exitUsage
	}
	return exitFailed
}

func newRootCommand(e *env) *cobra.Command {
	var s submission
	root := &cobra.Command{
		Use:   "gym-submit -c FILE [-c FILE ...] [key=value ...]",
		Short: "Submit LLM benchmark jobs to Slurm, each with its own OpenTelemetry Collector",
		Long: `Getting started:

  gym-submit init                # write run.yaml, filled in from what Slurm reports
  gym-submit check -c run.yaml   # test the file, the cluster and the backend; submit nothing
  gym-submit -c run.yaml         # submit
  gym-submit status              # what is running, what is waiting and why

With -c, gym-submit validates the submit file, creates the run directory and submits one
Slurm job per benchmark. With compute type local, the benchmarks run on this machine.

Several -c files are merged in the given order, each after the files in its defaults list.
key=value then overrides a single key; +key=value adds a key that does not exist yet,
++key=value sets it either way, and ~key removes it. group=option selects a file from a
config group.

The site file is merged before all others. It is the file named by $GYM_SUBMIT_SITE, or else
../etc/site.yaml relative to the installed program. Keys locked there cannot be changed.

Exit codes: 0 if every job was queued; 2 if the command line or the submit file is wrong or
the token is missing; 1 for any other failure. A local run exits with the first driver exit
code that is not 0.`,
		Example: `  gym-submit -c run.yaml
  gym-submit -c base.yaml -c run.yaml services.policy.tensor_parallel_size=4
  gym-submit -c run.yaml compute=other ~driver.env.DEBUG
  gym-submit -c run.yaml --dry-run
  gym-submit validate -c run.yaml`,
		Version:       version.String(),
		Args:          overridesOnly,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.overrides = args
			if cmd.Flags().Changed("only") && len(s.only) == 0 { // a variable that holds nothing
				return usageError{errors.New("--only names no benchmark")}
			}
			return s.run(cmd.Context(), e)
		},
	}
	root.SuggestionsMinimumDistance = 2 // letters that may be wrong
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w\nSee: %s --help", err, cmd.CommandPath())}
	})
	root.ValidArgsFunction = completeOverrides(&s.file)
	s.file.addFlags(root)
	root.Flags().BoolVar(&s.dryRun, "dry-run", false, "print everything that would be staged, then stop; needs no token")
	root.Flags().BoolVar(&s.resolveOnly, "resolve-only", false, "print the resolved config and each collector.yaml, then stop; needs no token")
	root.Flags().StringSliceVar(&s.only, "only", nil, "submit only these `BENCHMARKS` (comma-separated)")
	_ = root.RegisterFlagCompletionFunc("only", completeBenchmarks(&s.file))
	root.Flags().IntVar(&s.maxParallel, "max-parallel", 0, "run at most `K` jobs of this run at a time; 0 means no limit (local jobs always run one by one)")
	root.Flags().BoolVar(&s.wait, "wait", false, "wait for all jobs and exit with the run's result, like gym-submit wait")
	root.Flags().BoolVar(&s.json, "json", false, "print the result as JSON on stdout")
	root.AddCommand(newValidateCommand(e), newCheckCommand(e), newInitCommand(e), newSchemaCommand(e), newVersionCommand(e), newReplayCommand(e), newLocalJobsCommand(e), newManCommand())
	root.AddCommand(afterwards(e)...)
	return root
}

// overridesOnly refuses words that are neither a command nor key=value.
func overridesOnly(cmd *cobra.Command, args []string) error {
	for _, a := range args {
		if !strings.Contains(a, "=") && !strings.HasPrefix(a, "~") {
			hint := "See: " + cmd.CommandPath() + " --help"
			switch _, err := os.Stat(a); {
			case a == "submit": // as in gym eval submit
				hint = "It submits without that word: " + cmd.CommandPath() + " -c FILE"
			case err == nil:
				hint = "A submit file is named with -c: " + cmd.CommandPath() + " -c " + a
			case len(cmd.SuggestionsFor(a)) > 0:
				hint = "Did you mean " + strings.Join(cmd.SuggestionsFor(a), " or ") + "? " + hint
			}
			return usageError{fmt.Errorf("%q is neither a command nor key=value\n%s", a, hint)}
		}
	}
	return nil
}

// submitFile is the file a command works on.
type submitFile struct {
	paths     []string
	overrides []string
}

func (f *submitFile) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&f.paths, "config", "c", nil, "submit file; repeatable, later files win")
	_ = cmd.MarkFlagFilename("config", "yaml", "yml")
}

// load reads, merges and validates.
func (f *submitFile) load(e *env) (*config.Config, error) {
	if len(f.paths) == 0 {
		return nil, usageError{errors.New("no submit file: name one with -c FILE\nSee: gym-submit --help")}
	}
	var sources []config.Source
	site, err := siteFile(e)
	if err != nil {
		return nil, err
	}
	if site != nil {
		e.talk("site file: %s", site.Name)
		sources = append(sources, *site)
	}
	for _, path := range f.paths {
		data, err := config.ReadFile(path)
		if err != nil {
			return nil, usageError{fmt.Errorf("read the submit file: %w", err)}
		}
		sources = append(sources, config.Source{Name: path, Data: data})
	}
	cfg, err := config.Load(sources, f.overrides, e.options())
	if err != nil {
		return nil, siteProblems(site, err)
	}
	for _, warning := range cfg.Warnings() {
		e.talk("warning: %s", warning)
	}
	return cfg, nil
}
