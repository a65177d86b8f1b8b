// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/docs"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

func TestUserDocumentation(t *testing.T) {
	d := newDesk(t)
	d.write(t, "edited.yaml", services+here+fmt.Sprintf(driver, requests, d.runs()))
	t.Run("first run", func(t *testing.T) { d.follow(t, docs.Take(t, "docs/user/first-run.md", "", "edit")) })
	t.Run("reading a run", func(t *testing.T) { d.follow(t, docs.Take(t, "docs/user/reading-a-run.md", "")) })
	t.Run("what to do when", func(t *testing.T) {
		d.backend.SetFaults(ingest.Faults{Status: 503})
		d.submit(t)
		d.backend.SetFaults(ingest.Faults{})
		before := len(d.backend.Metrics())
		d.follow(t, docs.Take(t, "docs/user/what-to-do-when.md", ""), "OTEL_TOKEN="+token)
		if len(d.backend.Metrics()) == before {
			t.Error("the replay of the documentation sent nothing")
		}
	})
}

func (d *desk) submit(t *testing.T) {
	t.Helper()
	cmd := exec.Command("bash", "-c", "gym-submit -c run.yaml && gym-submit wait --timeout 2m")
	cmd.Dir, cmd.Env = d.dir, slices.Concat(d.env, []string{"OTEL_TOKEN=" + token})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
