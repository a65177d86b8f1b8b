// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// every is a file that sets every key to something else than its default, and holds text
// of all kinds that are hard to write.
const every = `
services:
  a:
    type: vllm
    container: null
    placement: c
    health_check: {path: "/h?x=1", port: 8101, timeout_seconds: 5}
    env: {A: "lit:host:x", B: host:WORD, C: runtime:D, D: "", E: "a: b", F: "\\${x} \\\\${oc.env:TP}", G: "x\ty\r\n", N: "007"}
    mounts: ["/a:/b:ro", /c]
    pre_command: |
      if true; then
        echo "${oc.env:WORD}" # a comment

      fi
    model: "2024-01-01"
    port: 8100
    served_model_name: "null"
    tensor_parallel_size: 1
    pipeline_parallel_size: 2
    number_of_instances: 2
    trust_remote_code: true
    extra_args: "--x '{\"a\": 1}'"
    distributed_backend: {type: mp}
  7.5: {type: vllm, container: "img#1", model: "x: y", port: 8200}
compute:
  c:
    type: slurm
    account: "0123"
    hostname: "on"
    walltime: 12:00:00
    node_pools: {p: {partition: "1e3", gpus_per_node: 8, extra_args: {mem: 0}}}
    extra_args: {qos: "yes", exclusive: ""}
driver:
  container: " padded "
  gym_install: {repo: "git@h:r.git", ref: "0123456"}
  policy_model: a
  benchmarks:
    1.0:
      prepare: {a: {b: [1, 2.50, "3", true, "true", null, "null", {}, [], [[x], {c: d, e: [f]}]]}, "x.y": {}}
      run: {flag: yes, big: 12345678901234567890, hex: 0x10, env: "${oc.env:USER_ID}", text: "a\nb", tmpl: "\\${x}", <<: {m: 1}}
    b: {command: "echo é\n"}
  env: {Z: "\u2028\ufeff\U0001F600\u0085"}
  mounts: [/x]
job:
  output_path: /r/${oc.env:USER_ID}
otel:
  enabled: true
  endpoint: http://h/
  insecure: true
  service_name: "~"
  token_env: MY_TOKEN
  binary: /opt/g
  container: c:1
  component: ""
  gpu_metrics_port: null
  node_metrics_port: 9101
  scrape_interval_seconds: 1
  health_check_timeout_seconds: 2
hooks:
  done: echo well
  failed: echo "$GYM_REASON"
`

func marshal(t testing.TB, cfg *Config) string {
	t.Helper()
	data, err := cfg.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// requireRoundTrip: what Marshal writes loads to the same, without any environment.
func requireRoundTrip(t testing.TB, cfg *Config) {
	t.Helper()
	text := marshal(t, cfg)
	again, err := Load([]Source{{Name: "resolved.yaml", Data: []byte(text)}}, nil,
		Options{LookupEnv: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	requireEqual(t, cfg, again)
	requireEqual(t, text, marshal(t, again))
}

func TestMarshalRoundTrip(t *testing.T) {
	for _, cfg := range []*Config{
		mustLoad(t, []Source{readFile(t, "base.yaml")}),
		mustLoad(t, []Source{readFile(t, "upstream", "gym-slurm_vllm_1IN.yaml")}),
		mustLoad(t, []Source{readFile(t, "upstream", "gym-slurm_vllm_multi_instance.yaml")}, "otel.enabled=false"),
		mustLoad(t, []Source{{Name: "every.yaml", Data: []byte(every)}}),
		mustLoad(t, []Source{{Name: "local.yaml", Data: []byte(
			"services: {}\ncompute: {here: {type: local}}\ndriver: {benchmarks: {a: {}}}\njob: {output_path: /x}\n")}}),
	} {
		requireRoundTrip(t, cfg)
	}
}

func TestMarshalGolden(t *testing.T) {
	cfg := mustLoad(t, []Source{{Name: "every.yaml", Data: []byte(every)}})
	golden(t, "resolved.yaml", marshal(t, cfg))
	data, err := json.MarshalIndent(cfg, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "resolved.json", string(data)+"\n")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	requireEqual(t, string(want), got)
}

// Both forms say the same to a reader who knows YAML or JSON only.
func TestMarshalReadByOthers(t *testing.T) {
	cfg := mustLoad(t, []Source{{Name: "every.yaml", Data: []byte(every)}})
	var fromYAML, fromJSON map[string]any
	if err := yaml.Unmarshal([]byte(marshal(t, cfg)), &fromYAML); err != nil {
		t.Fatal(err)
	}
	data, err := cfg.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &fromJSON); err != nil {
		t.Fatal(err)
	}
	for _, root := range []map[string]any{fromYAML, fromJSON} {
		c := root["compute"].(map[string]any)["c"].(map[string]any)
		requireEqual(t, any("0123"), c["account"])
		requireEqual(t, any("on"), c["hostname"])
		requireEqual(t, any("12:00:00"), c["walltime"])
		requireEqual(t, any("yes"), c["extra_args"].(map[string]any)["qos"])
		a := root["services"].(map[string]any)["a"].(map[string]any)
		requireEqual(t, any(nil), a["container"])
		requireEqual(t, any("2024-01-01"), a["model"])
		requireEqual(t, any(true), a["trust_remote_code"])
	}
	env := fromJSON["services"].(map[string]any)["a"].(map[string]any)["env"].(map[string]any)
	requireEqual(t, any(`lit:${x} \4`), env["F"])
}

// A Config that no file stands behind is written too, overrides as text.
func TestMarshalWithoutFile(t *testing.T) {
	cfg := mustLoad(t, []Source{readFile(t, "base.yaml")})
	plain := *cfg
	plain.origin = nil
	plain.Driver.Benchmarks = Map[Benchmark]{{"b", Benchmark{Run: []Override{{"a.b", "[1,2]"}, {"c", "true"}}}}}
	requireRoundTrip(t, &plain)
}

// Every exported field of the model is in the schema, and so in the resolved config.
func TestEveryFieldHasAKey(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(typ.Elem())
		case reflect.Struct:
			if seen[typ] || typ == reflect.TypeFor[EnvVar]() || typ == reflect.TypeFor[Override]() {
				return
			}
			seen[typ] = true
			for f := range typ.Fields() {
				entry := f.Name == "Name" || f.Name == "Value"
				if f.IsExported() && f.Tag.Get("yaml") == "" && !entry {
					t.Errorf("%s.%s has no key", typ, f.Name)
				}
				if f.IsExported() {
					walk(f.Type)
				}
			}
		}
	}
	walk(reflect.TypeFor[Config]())
}

// FuzzMarshal: any text comes back as it was, as a value, as a key and in lists.
func FuzzMarshal(f *testing.F) {
	for _, text := range []string{"", "a\n", "a\n\n", " a", "${x}", `\${`, "- a", "a: b", "é\u2028", "\t", "a\n \nb", "null", "1e3", "\r", "a #b", "?"} {
		f.Add(text)
	}
	base := readFile(f, "base.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			t.Skip("no YAML file can hold it, so none is loaded with it")
		}
		cfg := mustLoad(t, []Source{base})
		key := strings.Join(strings.Fields(strings.ReplaceAll(text, "=", "")), "")
		key = "k" + key
		leaf := &node{text: text}
		tree := &node{kind: mapping, fields: []field{
			{key: key, value: &node{kind: mapping, fields: []field{{key: "a", value: leaf}}}},
			{key: "list", value: &node{kind: list, items: []*node{leaf, {kind: list, items: []*node{leaf, leaf}}}}},
			{key: "maps", value: &node{kind: list, items: []*node{{kind: mapping, fields: []field{{key: key, value: leaf}}}}}},
		}}
		run := []Override{{key + ".a", text}, {"list", "[" + text + ",[" + text + "," + text + "]]"}, {"maps", "[{" + key + ":" + text + "}]"}}
		cfg.Driver.Benchmarks[0].Value = Benchmark{Run: run, run: tree}
		cfg.Driver.Env = Map[EnvVar]{{"A", EnvVar{EnvLiteral, text}}}
		requireRoundTrip(t, cfg)
	})
}
