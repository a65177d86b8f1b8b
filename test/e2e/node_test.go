// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// nodeExporter runs the real node_exporter; where it is missing, its captured page.
func nodeExporter(t *testing.T) (port string) {
	t.Helper()
	program, err := exec.LookPath("prometheus-node-exporter")
	if err != nil {
		t.Log("prometheus-node-exporter is not installed: its captured page stands in for it")
		return replay(t, "../../components/gymprocessor/testdata/node_exporter-1.5.0-debian.prom")
	}
	const address = "127.0.0.1:19100" // this test has a network of its own
	cmd := exec.Command(program, "--web.listen-address="+address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	wait.For(t, 10*time.Second, func() error {
		response, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("node_exporter answers %s", response.Status)
		}
		return nil
	})
	return "19100"
}

func currentUser(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

func hostName(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}
