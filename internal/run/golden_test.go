// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

var update = flag.Bool("update", false, "write the golden files anew")

// by submits in the golden tests.
var by = Submitter{User: "alice", Binary: "/opt/gym/bin/gym-otelcol"}

const goldenID = "gym-job-20260102T030405Z-c0ffee"

// filesHere is how many submit files the golden tests have: a file that is not picked up
// must not go unnoticed.
const filesHere = 24

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/files/*.yaml")
	if err != nil || len(files) != filesHere {
		t.Fatalf("%d submit files, want %d (%v)", len(files), filesHere, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", "golden", name)
			plan := planOf(t, file)
			if *update {
				writeGolden(t, dir, plan)
			}
			compareGolden(t, dir, plan)
			for _, b := range plan.Benchmarks {
				checkScript(t, b.Script)
			}
		})
	}
}

func planOf(t *testing.T, file string) *Plan {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var overrides []string
	if written := string(data); !strings.Contains(written, "endpoint:") && !strings.Contains(written, "enabled: false") {
		overrides = []string{"otel.endpoint=https://otlp.example.com", "otel.service_name=gym-eval", "otel.binary=/shared/gym-otelcol"}
	}
	cfg, err := config.Load([]config.Source{{Name: file, Data: data}}, overrides, config.Options{LookupEnv: lookup})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(cfg, goldenID, by)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func lookup(name string) (string, bool) {
	value, ok := map[string]string{"TP": "4", "HF_TOKEN": "hf_secret", "API_KEY": "secret"}[name]
	return value, ok
}

func writeGolden(t *testing.T, dir string, plan *Plan) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Files() {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compareGolden wants the same files with the same bytes, none more and none less.
func compareGolden(t *testing.T, dir string, plan *Plan) {
	t.Helper()
	rendered := map[string][]byte{}
	for _, f := range plan.Files() {
		rendered[f.Path] = f.Data
		want, err := os.ReadFile(filepath.Join(dir, f.Path))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(want, f.Data) {
			t.Errorf("%s differs from its golden file:\n%s", f.Path, f.Data)
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if rel, _ := filepath.Rel(dir, path); rendered[rel] == nil {
			t.Errorf("%s is no longer rendered", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// checkScript reads a script with a real shell parser, with bash and with shellcheck.
func checkScript(t *testing.T, script []byte) {
	t.Helper()
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(script), "job.sh"); err != nil {
		t.Error(err)
	}
	for _, checker := range [][]string{{"bash", "-n"}, {"shellcheck", "-s", "bash", "-"}} {
		if _, err := exec.LookPath(checker[0]); err != nil {
			t.Logf("%s is not installed: not run", checker[0])
			continue
		}
		cmd := exec.Command(checker[0], checker[1:]...)
		cmd.Stdin = bytes.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", checker[0], err, out)
		}
	}
}

// No value of the submitting shell may stand in any file.
func TestHostVariablesAreReferences(t *testing.T) {
	for _, name := range []string{"3-two-engines-three-benchmarks", "6-without-a-model-service"} {
		for _, f := range planOf(t, "testdata/files/"+name+".yaml").Files() {
			if bytes.Contains(f.Data, []byte("secret")) {
				t.Errorf("%s of %s holds a value of the submitting shell", f.Path, name)
			}
		}
	}
}
