// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// canary is what secrets hold in these tests. It may turn up in no message.
const canary = "s3cr3t-canary"

// testEnv is the environment of all tests.
var testEnv = Options{LookupEnv: func(name string) (string, bool) {
	value, ok := map[string]string{
		"TP":         "4",
		"EMPTY":      "",
		"FLAG":       "yes",
		"WORD":       "abc",
		"IMAGE":      "img:1",
		"USER_ID":    "0123",
		"SECRET":     canary,
		"NUMBER":     "77777",
		"LATIN":      "caf\xe9",
		"TEMPLATE":   "${job.output_path}",
		"OTEL_TOKEN": "t-" + canary,
		"TWIN":       "t-" + canary,
		"MY_TOKEN":   canary,
	}[name]
	return value, ok
}}

// inFiles is testEnv with files in memory for config groups.
func inFiles(files map[string]string) Options {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	opt := testEnv
	opt.ReadFile, opt.ReadDir = fsys.ReadFile, fsys.ReadDir
	return opt
}

// sameConfig compares what the files say, not where they say it.
var sameConfig = cmpopts.IgnoreUnexported(Config{}, Benchmark{})

func readFile(t testing.TB, parts ...string) Source {
	t.Helper()
	name := filepath.Join(append([]string{"testdata"}, parts...)...)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Name: filepath.Base(name), Data: data}
}

func mustLoad(t testing.TB, sources []Source, overrides ...string) *Config {
	t.Helper()
	cfg, err := Load(sources, overrides, testEnv)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// loadOver loads text over the base file of the tests.
func loadOver(t testing.TB, text string, overrides ...string) (*Config, error) {
	t.Helper()
	return Load([]Source{readFile(t, "base.yaml"), {Name: "run.yaml", Data: []byte(text)}}, overrides, testEnv)
}

func requireEqual(t testing.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, sameConfig); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
}
