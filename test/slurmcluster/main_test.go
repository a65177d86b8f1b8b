// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/slurmcluster"
)

// asCluster in the environment makes the test binary be the cluster.
const asCluster = "TEST_AS_CLUSTER"

func TestMain(m *testing.M) {
	if os.Getenv(asCluster) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestPrintsWhatAShellNeeds(t *testing.T) {
	if err := slurmcluster.Missing(); err != nil {
		t.Skip(err)
	}
	const soon = 60 * time.Second
	cmd := exec.Command(os.Args[0], "--nodes", "2", "--gpus", "-1")
	cmd.Env = append(os.Environ(), asCluster+"=1")
	p := proc.Start(t, cmd)
	export := p.Line(t, soon, "export SLURM_CONF=")
	out, err := exec.Command("sh", "-c", export+"; sinfo --noheader --format='%D %t %G'").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "2 idle (null)" {
		t.Errorf("%v: %s", err, out)
	}
	if code := p.Stop(t, soon); code != 0 {
		t.Errorf("exit code %d: %s", code, p.Output())
	}
	if _, err := os.Stat(strings.TrimPrefix(export, "export SLURM_CONF=")); !os.IsNotExist(err) {
		t.Errorf("the cluster left its files: %v", err)
	}
}
