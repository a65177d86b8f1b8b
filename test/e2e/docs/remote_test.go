// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/docs"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/sshd"
)

// The commands of README.md and docs/ssh.md, on a laptop whose cluster is behind ssh: so all of
// them have something to do, fetch too. The benchmark fails the first time.
func TestOverSSH(t *testing.T) {
	d := newDesk(t)
	d.behindSSH(t)
	d.write(t, "run.yaml", services+d.computeOverSSH(t)+fmt.Sprintf(driver, requests+"; ! mkdir "+d.dir+"/failed 2>/dev/null", d.runs()))

	t.Run("README.md", func(t *testing.T) {
		blocks := docs.Take(t, "README.md", "submit", "afterwards")
		given := strings.Replace(blocks[0].Text, "OTEL_TOKEN=…", "OTEL_TOKEN="+token, 1)
		if given == blocks[0].Text {
			t.Fatal("README.md does not set OTEL_TOKEN=…")
		}
		blocks[0].Text = given
		want(t, d.follow(t, blocks), "README.md", "failed", "nothing to stop", "submitted gpqa", d.dir+"/state/gym-submit/fetched/")
		d.run(t, "gym-submit wait --timeout 2m")
	})
	t.Run("docs/ssh.md", func(t *testing.T) {
		d.backend.SetFaults(ingest.Faults{Status: 503})
		out := d.follow(t, docs.Take(t, "docs/ssh.md", "submit"), "OTEL_TOKEN="+token)
		want(t, out, "gym-job-", "gpqa", "fetched")
		d.backend.SetFaults(ingest.Faults{})
		d.run(t, `cp -a "$(gym-submit fetch)" copy`)
		d.sends(t, docs.Take(t, "docs/ssh.md", "replay"))
	})
	t.Run("README.md, replay", func(t *testing.T) {
		d.run(t, `fetched=$(gym-submit fetch); rm -r "$fetched"; mv copy "$fetched"`) // as it was before
		d.sends(t, docs.Take(t, "README.md", "replay"))
	})
}

// clusterHost is what the documentation calls the cluster.
const clusterHost = "login.cluster.example.org"

// behindSSH takes Slurm away from the desk, and puts it behind ssh.
func (d *desk) behindSSH(t *testing.T) {
	t.Helper()
	server := sshd.Start(t, sshd.Options{Shell: "/bin/bash", Env: append(d.cluster.Env(), "PATH="+d.programs+":"+os.Getenv("PATH"))})
	config, err := os.ReadFile(filepath.Join(server.Dir, "ssh_config"))
	if err != nil {
		t.Fatal(err)
	}
	server.Configure(t, strings.Replace(string(config), "Host "+sshd.Host+"\n", "Host "+clusterHost+"\n", 1))
	d.env = slices.Concat(d.env, []string{"PATH=" + server.Bin + ":" + d.programs + ":" + os.Getenv("PATH"), "SLURM_CONF=/nonexistent"})
}

// computeOverSSH is what docs/ssh.md says of the submit file, with the collector of the tests.
func (d *desk) computeOverSSH(t *testing.T) string {
	t.Helper()
	blocks, err := docs.Blocks(filepath.Join(docs.Root(t), "docs", "ssh.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := blocks[0].Text
	if !strings.Contains(text, "hostname: "+clusterHost) || !strings.Contains(text, "/shared/gym/current/bin") {
		t.Fatalf("the first block of docs/ssh.md looks otherwise:\n%s", text)
	}
	return "\n" + strings.Replace(text, "/shared/gym/current/bin", d.programs, 1)
}

// sends runs commands with which the backend gets metrics.
func (d *desk) sends(t *testing.T, blocks []docs.Block) {
	t.Helper()
	before := len(d.backend.Metrics())
	d.follow(t, blocks, "OTEL_TOKEN="+token)
	if len(d.backend.Metrics()) == before {
		t.Error("the backend got no metrics")
	}
}

// run runs a command of the test itself.
func (d *desk) run(t *testing.T, command string) {
	t.Helper()
	cmd := exec.Command("bash", "-euc", command)
	cmd.Dir, cmd.Env = d.dir, slices.Concat(d.env, []string{"OTEL_TOKEN=" + token})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
