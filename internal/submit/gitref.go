// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// A ref that is not there would only be found out in the job, when the model is loaded and the
// driver clones Gym.

// noRefCheck switches the check off, for those whose nodes see another repository than this
// machine does. The name is upstream's.
const noRefCheck = "NEMO_GYM_SUBMIT_NO_REF_CHECK"

// refTime is how long the repository may take to answer.
const refTime = 10 * time.Second

var (
	fullCommit  = regexp.MustCompile(`^[0-9a-f]{40}$`)
	shortCommit = regexp.MustCompile(`^[0-9a-f]{4,39}$`)
	// revision is what git alone can make sense of, such as HEAD~1 or origin/main.
	revision = regexp.MustCompile(`[~^:@{]|^(HEAD|refs/|origin/)`)
)

// checkRef asks the repository for driver.gym_install.ref, unless git's arguments would show a
// password. Only a repository that answered and
// does not have it stands in the way.
func checkRef(ctx context.Context, cfg *config.Config, opt config.Options) (warning string, err error) {
	install := cfg.Driver.GymInstall
	if install == nil || install.HasPassword() || revision.MatchString(install.Ref) || isTrue(opt, noRefCheck) {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, refTime)
	defer cancel()
	refs, err := git(ctx, "ls-remote", "--heads", "--tags", "--", install.Repo)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", nil // no git here: the image has it
	case err != nil:
		return fmt.Sprintf("driver.gym_install: %s did not say whether it has %s (%v); the job will find out", install.Repo, install.Ref, err), nil
	case listed(refs, install.Ref):
		return "", nil
	case fullCommit.MatchString(install.Ref):
		return checkCommit(ctx, install)
	case shortCommit.MatchString(install.Ref):
		return fmt.Sprintf("driver.gym_install.ref: %s is no branch or tag; whether it begins a commit's id the job will find out", install.Ref), nil
	}
	return "", fmt.Errorf("driver.gym_install.ref: %s has no branch or tag %s (%s=true skips this check)", install.Repo, install.Ref, noRefCheck)
}

// listed looks for a branch, a tag or the commit of one in what ls-remote printed.
func listed(refs, ref string) bool {
	for line := range strings.Lines(refs) {
		commit, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if commit == ref || name == "refs/heads/"+ref || name == "refs/tags/"+ref {
			return true
		}
	}
	return false
}

// checkCommit asks for a commit that no branch or tag ends in: a server may refuse to tell.
func checkCommit(ctx context.Context, install *config.GymInstall) (warning string, err error) {
	dir, err := os.MkdirTemp("", "gym-submit-ref-")
	if err != nil {
		return "", fmt.Errorf("check driver.gym_install.ref: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if _, err := git(ctx, "init", "--quiet", "--bare", dir); err != nil {
		return "", fmt.Errorf("check driver.gym_install.ref: %w", err)
	}
	_, err = git(ctx, "-C", dir, "fetch", "--quiet", "--depth=1", "--filter=blob:none", "--", install.Repo, install.Ref)
	switch {
	case err == nil:
		return "", nil
	case strings.Contains(err.Error(), "not our ref"):
		return "", fmt.Errorf("driver.gym_install.ref: %s has no commit %s (%s=true skips this check)", install.Repo, install.Ref, noRefCheck)
	}
	return fmt.Sprintf("driver.gym_install: %s did not say whether it has %s (%v); the job will find out", install.Repo, install.Ref, err), nil
}

// git runs a command of git that asks nobody for anything.
func git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_SSH_COMMAND=ssh -o BatchMode=yes", "GIT_ASKPASS=true", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return "", fmt.Errorf("git %s: %s", args[0], lastLine(exit.Stderr))
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("no answer within %v", refTime)
	}
	return string(out), err
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

func isTrue(opt config.Options, name string) bool {
	lookup := opt.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	value, _ := lookup(name)
	return strings.EqualFold(value, "true") || value == "1"
}
