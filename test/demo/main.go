// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Command demo runs one whole job on this machine, with nothing else installed: the built
// gym-submit and gym-otelcol, a stand-in for the inference engine, one for the backend, and a
// driver that sends requests. It ends by showing what was exported and where.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

// driverCode is what the demo's driver ends with, to show that the job keeps it.
const driverCode = 7

//go:embed run.yaml.tmpl
var submitFile string

func main() {
	database := flag.String("victoria-metrics", "", "a VictoriaMetrics program to keep the run in")
	flag.Parse()
	if err := run(*database); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(database string) error {
	dir, err := os.MkdirTemp("", "gym-demo-")
	if err != nil {
		return err
	}
	if err := buildStandIns(dir); err != nil {
		return err
	}
	backend, err := ingest.New(ingest.Options{})
	if err != nil {
		return err
	}
	defer backend.Close()
	file, err := writeSubmitFile(dir, backend.URL)
	if err != nil {
		return err
	}
	fmt.Printf("Submit file: %s\n$ OTEL_TOKEN=… gym-submit -c %s\n\n", file, file)
	jobDir, err := submit(dir, file)
	if err != nil {
		return err
	}
	if err := show(os.Stdout, filepath.Join(jobDir, "demo"), backend); err != nil || database == "" {
		return err
	}
	return keepInDatabase(database, dir, jobDir)
}

// buildStandIns builds the engine, under the name that the job script calls, and the driver.
func buildStandIns(dir string) error {
	for name, source := range map[string]string{"vllm": "./test/engine", "driver": "./test/driver"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", name), source)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("build %s: %w", source, err)
		}
	}
	return nil
}

func writeSubmitFile(dir, backend string) (path string, err error) {
	var out bytes.Buffer
	values := map[string]any{"Dir": dir, "Backend": backend, "Code": driverCode}
	if err := template.Must(template.New("run.yaml").Parse(submitFile)).Execute(&out, values); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "run.yaml")
	return path, os.WriteFile(path, out.Bytes(), 0o644)
}

// submit runs gym-submit, which with local compute ends when the job does.
func submit(dir, file string) (jobDir string, err error) {
	program, err := filepath.Abs("bin/gym-submit")
	if err != nil {
		return "", err
	}
	cmd := exec.Command(program, "-c", file)
	cmd.Env = append(os.Environ(),
		"PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"OTEL_TOKEN=demo-token")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case err == nil:
		return "", fmt.Errorf("gym-submit ended with code 0, and not with the driver's %d", driverCode)
	case !errors.As(err, &exit):
		return "", err
	case exit.ExitCode() != driverCode:
		return "", fmt.Errorf("gym-submit ended with code %d, and not with the driver's %d", exit.ExitCode(), driverCode)
	}
	fmt.Printf("\nThe job ended with code %d, which is the driver's: the demo asked for that.\n", driverCode)
	runs, err := filepath.Glob(filepath.Join(dir, "runs", "gym-job-*"))
	if err != nil || len(runs) != 1 {
		return "", fmt.Errorf("want one run below %s, found %d", dir, len(runs))
	}
	return runs[0], nil
}
