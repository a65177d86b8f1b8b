// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// corpusCase is one archive of testdata/bad or testdata/good: files, of which site.yaml is
// the site's and args names those behind -c (run.yaml without it) and the overrides, one a
// line; and what Load says to it, in want.
type corpusCase struct {
	name  string
	files map[string]string
	args  []string
	want  string
}

func corpus(t testing.TB, dir string) []corpusCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := corpusCase{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), files: map[string]string{}}
		for _, f := range archive.Files {
			switch f.Name {
			case "want":
				c.want = string(f.Data)
			case "args":
				c.args = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
			default:
				c.files[f.Name] = strings.ReplaceAll(string(f.Data), "→", "\t")
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// load does what gym-submit does with the files.
func (c corpusCase) load() (*Config, error) {
	var sources []Source
	if text, ok := c.files["site.yaml"]; ok {
		sources = append(sources, Source{Name: "site.yaml", Data: []byte(text), Site: true})
	}
	names, overrides := []string{}, []string{}
	for _, arg := range c.args {
		if name, ok := strings.CutPrefix(arg, "-c "); ok {
			names = append(names, name)
		} else {
			overrides = append(overrides, arg)
		}
	}
	if len(names) == 0 {
		names = []string{"run.yaml"}
	}
	for _, name := range names {
		sources = append(sources, Source{Name: name, Data: []byte(c.files[name])})
	}
	return Load(sources, overrides, inFiles(c.files))
}

// Each bad file is refused with exactly the expected lines.
func TestBadFiles(t *testing.T) {
	cases := corpus(t, "bad")
	if len(cases) < 60 {
		t.Errorf("only %d bad files", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.load()
			if err == nil {
				t.Fatal("is not refused")
			}
			requireCorpus(t, "bad", c, err.Error()+"\n")
		})
	}
}

// Each good file resolves to exactly the expected config.
func TestGoodFiles(t *testing.T) {
	cases := corpus(t, "good")
	if len(cases) == 0 {
		t.Error("no good files")
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cfg, err := c.load()
			if err != nil {
				t.Fatal(err)
			}
			requireRoundTrip(t, cfg)
			requireCorpus(t, "good", c, changed(t, cfg))
		})
	}
}

// changed lists what a config says beyond base.yaml of its archive and the defaults: the
// lines of the resolved config that a config of nothing but the required keys does not have.
func changed(t *testing.T, cfg *Config) string {
	t.Helper()
	var out strings.Builder
	plain := leaves(t, mustLoad(t, []Source{readFile(t, "base.yaml")}))
	for _, line := range leaves(t, cfg) {
		if !slices.Contains(plain, line) {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// leaves writes a resolved config with one full key a line.
func leaves(t *testing.T, cfg *Config) []string {
	t.Helper()
	root := parse(Source{Data: []byte(marshal(t, cfg))}, 0, nil, &report{})
	var lines []string
	for _, p := range everyPath(root, nil) {
		if n := find(root, p); n.kind == scalar {
			lines = append(lines, p.String()+": "+n.text)
		}
	}
	return lines
}

func requireCorpus(t *testing.T, dir string, c corpusCase, got string) {
	t.Helper()
	if strings.Contains(got, canary) {
		t.Error("a secret is shown")
	}
	if *update {
		file := filepath.Join("testdata", dir, c.name+".txtar")
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
		archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	requireEqual(t, c.want, got)
}
