// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/slurmcluster"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// newAccountedSite is a private Slurm with slurmdbd, in which root may use the accounts eval and spare.
func newAccountedSite(t *testing.T) *slurmSite {
	t.Helper()
	at := &slurmSite{slurmcluster.Start(t, slurmcluster.Options{Accounting: true})}
	for _, args := range []string{
		"add account eval", "add account spare", "add user root account=eval defaultaccount=eval", "add user root account=spare",
	} {
		at.cluster.Run(t, "sacctmgr", append([]string{"--immediate"}, strings.Fields(args)...)...)
	}
	return at
}

// Slurm has forgotten the jobs and their logs are gone: only the accounts still know how they ended.
func TestAccountsOutliveTheQueue(t *testing.T) {
	at := newAccountedSite(t)
	failed, cancelled := newFixture(t, at), newFixture(t, at)
	failed.run(t)
	cancelled.Command = endless
	s := cancelled.start(t)
	cancelled.awaitLog(t, "starting the driver")
	for _, id := range at.ids(t, s) {
		at.cluster.Run(t, "scancel", id)
	}
	cancelled.finish(t, s)
	if err := at.cluster.Forget(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*fixture{failed, cancelled} {
		logs, err := filepath.Glob(filepath.Join(f.dir, "runs", "*", "gpqa", "logs"))
		if err != nil || len(logs) != 1 {
			t.Fatalf("logs in %q (%v)", logs, err)
		}
		if err := os.RemoveAll(logs[0]); err != nil {
			t.Fatal(err)
		}
	}
	// slurmdbd hears of a job's end a moment later.
	awaitAccount(t, failed, "failed", "ended with code 7")
	awaitAccount(t, cancelled, "cancelled", "cancelled by root")
	if now := failed.status(t); now.ExitCode == nil || *now.ExitCode != 7 {
		t.Errorf("the exit code is gone: %+v", now)
	}
	if a := failed.ask(t, "wait"); a.code != 7 {
		t.Errorf("wait: %+v", a)
	}
}

func awaitAccount(t *testing.T, f *fixture, state, why string) {
	t.Helper()
	wait.For(t, 30*time.Second, func() error {
		if now := f.status(t); now.State != state || !strings.Contains(now.Why, why) {
			return fmt.Errorf("it is %s: %s", now.State, now.Why)
		}
		return nil
	})
}

// Whose account it is Slurm says, before anything is submitted.
func TestAccountsAreAsked(t *testing.T) {
	f := newFixture(t, newAccountedSite(t))
	if a := f.ask(t, "init", "-"); !strings.Contains(a.stdout, "account: eval") || !strings.Contains(a.stdout, "spare") {
		t.Errorf("init:\n%s%s", a.stdout, a.stderr)
	}
	wantFinding(t, f.checked(t, 0), "account", "ok", "you may use the account eval")
	wantFinding(t, f.checked(t, 1, "compute.testcluster.account=others"), "account", "failed", "you have no right to the account others")
}
