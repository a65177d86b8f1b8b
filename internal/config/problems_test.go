// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files in testdata/problems")

// TestProblems loads the cases of testdata/problems. A case is a heading `=== name`, a
// file, overrides behind `>>> `, and behind `--- says` every line that Load says. The file
// is loaded over base.yaml, unless the name begins with `alone`.
func TestProblems(t *testing.T) {
	files, err := filepath.Glob("testdata/problems/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { problemFile(t, file) })
	}
}

func problemFile(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	head, cases, _ := strings.Cut("\n"+string(data), "\n=== ")
	out.WriteString(strings.TrimPrefix(head, "\n"))
	for i, text := range strings.Split(cases, "\n=== ") {
		name, rest, _ := strings.Cut(text, "\n")
		body, want, _ := strings.Cut("\n"+rest, "\n--- says\n")
		body = strings.TrimPrefix(body, "\n")
		got := problemsOf(t, name, body)
		t.Run(name, func(t *testing.T) {
			if strings.Contains(got, canary) {
				t.Error("a secret is shown")
			}
			if want := strings.TrimSpace(want); !*update && got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
		if i > 0 || out.Len() > 0 {
			out.WriteString("\n")
		}
		out.WriteString("=== " + name + "\n" + body + "\n--- says\n" + got + "\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func problemsOf(t *testing.T, name, body string) string {
	t.Helper()
	body = strings.ReplaceAll(body, "→", "\t")
	var overrides []string
	yaml, rest, _ := strings.Cut("\n"+body, "\n>>> ")
	if rest != "" {
		overrides = strings.Split(rest, "\n>>> ")
	}
	yaml = strings.TrimPrefix(yaml, "\n")
	sources := []Source{readFile(t, "base.yaml"), {Name: "run.yaml", Data: []byte(yaml)}}
	if strings.HasPrefix(name, "alone") {
		sources = sources[1:]
	} else if yaml == "" {
		sources = sources[:1]
	}
	cfg, err := Load(sources, overrides, testEnv)
	var problems Problems
	switch {
	case err == nil:
		return strings.Join(append([]string{"ok"}, cfg.Warnings()...), "\n")
	case !errors.As(err, &problems):
		t.Fatalf("%s: %T is no Problems", name, err)
	}
	return err.Error()
}
