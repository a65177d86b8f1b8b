// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// values are what a user may write where the script has to hold it exactly.
type values struct {
	model, served, container, mount, env, preCommand, override, command, account string
	modelType, spanGroups, resource, repo                                        string
}

// configOf is a submit file with one service and two benchmarks, run and command.
func configOf(v values) *config.Config {
	return &config.Config{
		Services: config.Map[config.Service]{{Name: "policy", Value: config.Service{
			Type: "vllm", Container: &v.container, Model: v.model, ServedModelName: &v.served, Port: 8000,
			TensorParallelSize: 1, PipelineParallelSize: 1, NumberOfInstances: 1, Mounts: []string{v.mount},
			HealthCheck: &config.HealthCheck{Path: "/health", Port: 8000, TimeoutSeconds: 60},
			PreCommand:  v.preCommand,
			Env: config.Map[config.EnvVar]{
				{Name: "LITERAL", Value: config.EnvVar{Source: config.EnvLiteral, Value: v.env}},
				{Name: "RUNTIME", Value: config.EnvVar{Source: config.EnvRuntime, Value: "HOME"}},
			},
		}}, {Name: "head", Value: config.Service{
			Type: config.ServiceRay, Container: &v.container, Port: 6379, NodePools: []string{"gpu"}, PreCommand: v.preCommand,
			Resources: config.Map[config.Map[config.Number]]{{Name: "gpu", Value: config.Map[config.Number]{{Name: v.resource, Value: 0.5}}}},
		}}},
		Compute: config.Map[config.Compute]{{Name: "c", Value: config.Compute{
			Type: config.ComputeSlurm, Account: v.account,
			NodePools: config.Map[config.NodePool]{{Name: "gpu", Value: config.NodePool{Partition: "p", Nodes: 1, NtasksPerNode: 1}}},
		}}},
		Otel: config.Otel{Enabled: true, TokenEnv: "OTEL_TOKEN", GymTelemetry: true, GymSpanGroups: v.spanGroups},
		Driver: config.Driver{
			PolicyModel: "policy", PolicyHost: "localhost", PolicyModelType: v.modelType,
			GymInstall: install(v.repo),
			Benchmarks: config.Map[config.Benchmark]{
				{Name: "run", Value: config.Benchmark{Run: []config.Override{{Key: "a.b", Value: v.override}}}},
				{Name: "command", Value: config.Benchmark{Command: &v.command}},
			},
		},
		Job: config.Job{OutputPath: "/runs"},
	}
}

// install is nil without a repository.
func install(repo string) *config.GymInstall {
	if repo == "" {
		return nil
	}
	return &config.GymInstall{Repo: repo, Ref: repo}
}

// stepsOf runs functions of a rendered script in bash, with a `step` that prints what the
// real one would hand to srun: the exported variables, then the arguments.
func stepsOf(t *testing.T, script []byte, call string) []string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	body := definitions(t, script)
	body += "\nsay() { :; }\nstep() { printf '%s\\0' \"${LITERAL:-}\" \"${RUNTIME:-}\" \"${NEMO_GYM_OTEL_SPAN_GROUPS:-}\" \"$@\" >out; }\n" + call + "\nwait\n"
	file := filepath.Join(dir, "job.sh")
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SLURM_JOB_ID=1", "HOME=/home/alice", "LC_ALL=C")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// definitions is a script without its last lines, which begin to run things, for the current directory.
func definitions(t *testing.T, script []byte) string {
	t.Helper()
	end := strings.LastIndex(string(script), "say \"job $SLURM_JOB_ID of")
	if end < 0 {
		t.Fatal("the script does not begin its run where expected")
	}
	return strings.Replace(string(script[:end]), `cd "$gym_bench_dir" ||`, "cd . ||", 1)
}
