// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"testing"
)

func upstreamService(model string) Service {
	return Service{
		Type: ServiceVLLM, Placement: "cluster", Model: model, Port: 8000,
		HealthCheck:        &HealthCheck{Path: "/health", Port: 8000, TimeoutSeconds: 1200},
		Mounts:             []string{"/lustre/datasets:/data"},
		TensorParallelSize: 4, PipelineParallelSize: 1, NumberOfInstances: 1, TrustRemoteCode: true,
		DataParallelRPCPort: 13345,
	}
}

func upstreamConfig() Config {
	return Config{
		Compute: Map[Compute]{{Name: "cluster", Value: Compute{
			Type: ComputeSlurm, Hostname: "myslurmcluster", Account: "myaccount",
			NodePools: Map[NodePool]{{Name: "compute", Value: NodePool{
				Partition: "batch", Nodes: 1, NtasksPerNode: 1,
			}}},
		}}},
		Driver: Driver{
			PolicyModel: "vllm_model", PolicyHost: "localhost", PolicyModelType: "openai_model",
			Container:  new("python:3.12"),
			GymInstall: &GymInstall{Repo: "https://github.com/NVIDIA-NeMo/gym", Ref: "main"},
		},
		Job: Job{OutputPath: "/lustre/fsw/my-path"},
		Otel: Otel{
			TokenEnv: "OTEL_TOKEN", Component: "gym-vllm", GPUMetricsPort: new(9400), NodeMetricsPort: new(9100),
			ScrapeIntervalSeconds: 15, HealthCheckTimeoutSeconds: 300,
			GymTelemetry: true, GymSpanGroups: "default,verify", GymLogs: true,
		},
	}
}

func TestLoadUpstreamSingle(t *testing.T) {
	got := mustLoad(t, []Source{readFile(t, "upstream", "gym-slurm_vllm_1IN.yaml")}, "otel.enabled=false")

	want := upstreamConfig()
	service := upstreamService("Qwen/Qwen2.5-0.5B-Instruct")
	service.Container = new("vllm/vllm-openai:v0.26.0")
	want.Services = Map[Service]{{Name: "vllm_model", Value: service}}
	want.Compute[0].Value.Walltime = "00:30:00"
	want.Compute[0].Value.NodePools[0].Value.GPUsPerNode = new(4)
	want.Driver.Benchmarks = Map[Benchmark]{{Name: "gpqa", Value: Benchmark{
		Prepare: []Override{{"config_paths", "[benchmarks/ifbench/config.yaml]"}},
		Run: []Override{
			{"split", "benchmark"},
			{"overwrite_metrics_conflicts", "true"},
			{"responses_create_params.temperature", "0.6"},
			{"responses_create_params.top_p", "0.9"},
			{"config_paths", "[benchmarks/ifbench/config.yaml]"},
		},
	}}}
	requireEqual(t, &want, got)
	requireEqual(t, []string(nil), got.Warnings())
}

func TestLoadUpstreamInstances(t *testing.T) {
	got := mustLoad(t, []Source{readFile(t, "upstream", "gym-slurm_vllm_multi_instance.yaml")}, "otel.enabled=false")

	want := upstreamConfig()
	service := upstreamService("Qwen/Qwen2.5-7B-Instruct")
	service.Container = new("vllm/vllm-openai:v0.9.0")
	service.TensorParallelSize, service.NumberOfInstances = 2, 4
	want.Services = Map[Service]{{Name: "vllm_model", Value: service}}
	want.Compute[0].Value.Walltime = "01:00:00"
	want.Compute[0].Value.NodePools[0].Value.GPUsPerNode = new(8)
	want.Driver.Benchmarks = Map[Benchmark]{{Name: "gpqa", Value: Benchmark{
		Run: []Override{
			{"split", "benchmark"},
			{"config_paths", "[benchmarks/gpqa/config.yaml]"},
		},
	}}}
	requireEqual(t, &want, got)
}

// Without an otel block a file loads: only a submit needs a destination.
func TestLoadWithoutOtel(t *testing.T) {
	got := mustLoad(t, []Source{readFile(t, "upstream", "gym-slurm_vllm_1IN.yaml")})
	if !got.CollectorActive() {
		t.Error("the collector is not active by default")
	}
	if err := got.CheckDestination(testEnv); err == nil {
		t.Error("a submit without a destination is not refused")
	}
}

// Text stays what it is in the file, whatever YAML would make of it.
func TestLoadTextAsWritten(t *testing.T) {
	for _, text := range []string{
		"on", "0123", "1.10", "2024-01-01", "12:00:00", "1e3", "0x1F", "true", "1_000", ".5", "No", "=", "a b",
	} {
		cfg, err := loadOver(t, "services: {policy: {model: "+text+", served_model_name: "+text+
			", env: {A: "+text+"}}}\notel: {service_name: "+text+"}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		s := cfg.Services[0].Value
		requireEqual(t, text, s.Model)
		requireEqual(t, text, s.ModelName())
		requireEqual(t, text, cfg.Otel.ServiceName)
		requireEqual(t, Map[EnvVar]{{"A", EnvVar{EnvLiteral, text}}}, s.Env)
	}
}

func TestLoadBools(t *testing.T) {
	for text, want := range map[string]bool{
		"true": true, "True": true, "YES": true, "on": true, "1": true, "y": true, "T": true, `"true"`: true,
		"${oc.env:FLAG}": true, "false": false, "no": false, "OFF": false, "0": false, "n": false, "F": false, "'0'": false,
	} {
		cfg, err := loadOver(t, "services: {policy: {trust_remote_code: "+quoteTemplate(text)+"}}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		requireEqual(t, want, cfg.Services[0].Value.TrustRemoteCode)
	}
}

func TestLoadInts(t *testing.T) {
	for text, want := range map[string]int{
		"2": 2, `"2"`: 2, "'2'": 2, "+2": 2, "1_0": 10, "${oc.env:TP}": 4, "${oc.env:NONE,3}": 3, "${services.policy.port}": 8001,
	} {
		cfg, err := loadOver(t, "services: {policy: {port: 8001, health_check: {timeout_seconds: "+quoteTemplate(text)+"}}}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		requireEqual(t, want, cfg.Services[0].Value.HealthCheck.TimeoutSeconds)
	}
}

// quoteTemplate: braces end a flow mapping.
func quoteTemplate(text string) string {
	if hasTemplate(text) {
		return `"` + text + `"`
	}
	return text
}

func TestLoadEnvSources(t *testing.T) {
	cfg, err := loadOver(t, `
driver:
  env:
    BARE: x:y
    LIT: lit:host:a
    HOST: host:WORD
    RUNTIME: runtime:SLURM_JOB_ID
    EMPTY: ""
    URL: http://x
`)
	if err != nil {
		t.Fatal(err)
	}
	requireEqual(t, Map[EnvVar]{
		{"BARE", EnvVar{EnvLiteral, "x:y"}},
		{"LIT", EnvVar{EnvLiteral, "host:a"}},
		{"HOST", EnvVar{EnvHost, "WORD"}},
		{"RUNTIME", EnvVar{EnvRuntime, "SLURM_JOB_ID"}},
		{"EMPTY", EnvVar{EnvLiteral, ""}},
		{"URL", EnvVar{EnvLiteral, "http://x"}},
	}, cfg.Driver.Env)
}

func TestLoadFreeForm(t *testing.T) {
	cfg, err := loadOver(t, `
driver:
  benchmarks:
    aime:
      prepare:
        a: {b: {c: 1, d: [x, "y z", null]}, e: {}}
        f: []
        g: [{a: 1, b: [true]}, {}]
      run:
        split: null
        bools: [true, False, yes, off]
        numbers: [1.50, 1e-5, 0x10, 007]
        quoted: "true"
        dotted.key: "1"
        text: a=b, c
        path@x/y: z
        env: ${oc.env:USER_ID}
`)
	if err != nil {
		t.Fatal(err)
	}
	b := cfg.Driver.Benchmarks[0].Value
	requireEqual(t, []Override{
		{"a.b.c", "1"},
		{"a.b.d", "[x,y z,null]"},
		{"a.e", "{}"},
		{"f", "[]"},
		{"g", "[{a:1,b:[true]},{}]"},
	}, b.Prepare)
	requireEqual(t, []Override{
		{"split", "null"},
		{"bools", "[true,false,true,false]"},
		{"numbers", "[1.50,1e-5,0x10,007]"},
		{"quoted", "true"},
		{"dotted.key", "1"},
		{"text", "a=b, c"},
		{"path@x/y", "z"},
		{"env", "0123"},
	}, b.Run)
}

func TestLoadLocal(t *testing.T) {
	cfg := mustLoad(t, []Source{{Name: "local.yaml", Data: []byte(`
services:
  policy: {type: vllm, model: m, extra_args: "--max-model-len 10\n  --x 'a\n b'\n"}
compute:
  here: {type: local}
driver:
  benchmarks: {a: {command: 'echo "$HOME"'}}
job: {output_path: "${oc.env:NOWHERE,/tmp}/runs"}
`)}})
	if cfg.Driver.Container != nil || cfg.Services[0].Value.Container != nil {
		t.Error("a container on this machine")
	}
	requireEqual(t, "/tmp/runs", cfg.Job.OutputPath)
	requireEqual(t, "here", cfg.Services[0].Value.Placement)
	requireEqual(t, "--max-model-len 10 --x 'a\n b'", cfg.Services[0].Value.ExtraArgs)
}

// Later files win, mappings are merged, lists and scalars replaced, and null is a value.
func TestLoadMerge(t *testing.T) {
	site := Source{Name: "site.yaml", Data: []byte(`
otel: {endpoint: https://site.example.org, service_name: site, gpu_metrics_port: null}
compute:
  cluster: {extra_args: {qos: low, exclusive: ""}}
`)}
	run := Source{Name: "run.yaml", Data: []byte(`
services:
  policy: {mounts: [/a, /b], env: {B: b}}
  judge: {type: vllm, container: null, model: j, port: 8001}
otel: {service_name: run}
`)}
	last := Source{Name: "last.yaml", Data: []byte(`
services:
  policy: {mounts: [/c], env: {A: a}}
compute:
  cluster: {extra_args: {qos: high}}
`)}
	cfg := mustLoad(t, []Source{readFile(t, "base.yaml"), site, run, last})
	requireEqual(t, "https://site.example.org", cfg.Otel.Endpoint)
	requireEqual(t, "run", cfg.Otel.ServiceName)
	requireEqual(t, (*int)(nil), cfg.Otel.GPUMetricsPort)
	requireEqual(t, Map[string]{{"qos", "high"}, {"exclusive", ""}}, cfg.Compute[0].Value.ExtraArgs)
	requireEqual(t, []string{"/c"}, cfg.Services[0].Value.Mounts)
	requireEqual(t, Map[EnvVar]{{"B", EnvVar{EnvLiteral, "b"}}, {"A", EnvVar{EnvLiteral, "a"}}}, cfg.Services[0].Value.Env)
	requireEqual(t, "judge", cfg.Services[1].Name)
}

func TestLoadAnchors(t *testing.T) {
	cfg, err := loadOver(t, `
_a: &a {X: "1", Y: "1", Z: "1"}
_b: &b {Y: "2", W: "2"}
_c: &c {Z: "3"}
services:
  policy:
    env:
      <<: [*a, *b]
      <<: *c
      X: own
driver: {env: {<<: *b}}
`, "services.policy.env.W=changed")
	if err != nil {
		t.Fatal(err)
	}
	lit := func(s string) EnvVar { return EnvVar{EnvLiteral, s} }
	requireEqual(t, Map[EnvVar]{{"X", lit("own")}, {"Y", lit("1")}, {"Z", lit("3")}, {"W", lit("changed")}},
		cfg.Services[0].Value.Env)
	// An anchor used twice is two values, of which the override changed one.
	requireEqual(t, Map[EnvVar]{{"Y", lit("2")}, {"W", lit("2")}}, cfg.Driver.Env)
}

func TestLoadEncodings(t *testing.T) {
	base := readFile(t, "base.yaml")
	want := mustLoad(t, []Source{base})
	windows := []byte("\uFEFF")
	for _, c := range base.Data {
		if c == '\n' {
			windows = append(windows, '\r')
		}
		windows = append(windows, c)
	}
	requireEqual(t, want, mustLoad(t, []Source{{Name: "windows.yaml", Data: windows}}))
}
