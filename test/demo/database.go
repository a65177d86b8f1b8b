// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// dropToken keeps the token out of the labels: no routing proxy is there to remove it.
const dropToken = "- {action: labeldrop, regex: Authorization}\n"

// keepInDatabase replays the run into a VictoriaMetrics, and leaves that running until it is
// interrupted, for somebody who wants to see the run in Grafana.
func keepInDatabase(program, dir, jobDir string) error {
	ports, err := proc.FreePorts(1)
	if err != nil {
		return err
	}
	relabel := filepath.Join(dir, "relabel.yaml")
	if err := os.WriteFile(relabel, []byte(dropToken), 0o600); err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", ports[0])
	log, err := os.Create(filepath.Join(dir, "victoria-metrics.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	database := exec.Command(program, "-httpListenAddr="+address, "-storageDataPath="+filepath.Join(dir, "victoria-metrics"),
		"-search.latencyOffset=0s", "-relabelConfig="+relabel)
	database.Stdout, database.Stderr = log, log
	if err := database.Start(); err != nil {
		return fmt.Errorf("start VictoriaMetrics: %w", err)
	}
	defer func() {
		_ = database.Process.Signal(syscall.SIGTERM)
		_ = database.Wait()
	}()
	if err := wait.Until(30*time.Second, func() error { return healthy("http://" + address + "/health") }); err != nil {
		return fmt.Errorf("VictoriaMetrics, whose log is %s: %w", log.Name(), err)
	}
	replay := exec.Command("bin/gym-submit", "replay", "--all", "--signal", "metrics", "--endpoint", "http://"+address+"/opentelemetry", jobDir)
	replay.Env = append(os.Environ(), "OTEL_TOKEN=demo-token")
	replay.Stdout, replay.Stderr = os.Stdout, os.Stderr
	fmt.Printf("\n$ OTEL_TOKEN=… gym-submit replay --all --signal metrics --endpoint http://%s/opentelemetry %s\n", address, jobDir)
	if err := replay.Run(); err != nil {
		return fmt.Errorf("replay the run: %w", err)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	fmt.Printf(`
VictoriaMetrics has the run: http://%[1]s/vmui
In Grafana: a data source of type Prometheus with the address http://%[1]s and the scrape
interval 2s, then import distribution/dashboards/run.json and runs.json.
Ctrl-C ends it.
`, address)
	<-interrupted
	return nil
}

func healthy(url string) error {
	response, err := http.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}
