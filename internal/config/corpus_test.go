// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
			requireWant(t, c, err.Error()+"\n")
		})
	}
}

// Each good file resolves to base.yaml and the values in want. Of a service or cluster that
// base.yaml does not have, want names some values only.
func TestGoodFiles(t *testing.T) {
	cases := corpus(t, "good")
	if len(cases) == 0 {
		t.Error("no good files")
	}
	base := leaves(t, mustLoad(t, []Source{readFile(t, "base.yaml")}))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cfg, err := c.load()
			if err != nil {
				t.Fatal(err)
			}
			requireRoundTrip(t, cfg)
			got := leaves(t, cfg)
			for key, want := range leavesOf(t, c.want) {
				if value, ok := got[key]; !ok || value != want {
					t.Errorf("%s: got %q, want %q", key, value, want)
				}
				delete(got, key)
			}
			for key, value := range got {
				if want, ok := base[key]; ok && value != want {
					t.Errorf("%s: got %q, want %q as in base.yaml", key, value, want)
				}
			}
		})
	}
}

// leaves are the values of a resolved config with their full keys.
func leaves(t *testing.T, cfg *Config) map[string]string {
	t.Helper()
	root := parse(Source{Data: []byte(marshal(t, cfg))}, 0, nil, &report{})
	values := map[string]string{}
	for _, p := range everyPath(root, nil) {
		if n := find(root, p); n.kind == scalar {
			values[p.String()] = n.text
		}
	}
	return values
}

// leavesOf reads the lines of want.
func leavesOf(t *testing.T, want string) map[string]string {
	t.Helper()
	values := map[string]string{}
	for line := range strings.Lines(want) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			t.Fatalf("no value: %q", line)
		}
		values[key] = value
	}
	return values
}

func requireWant(t *testing.T, c corpusCase, got string) {
	t.Helper()
	if strings.Contains(got, canary) {
		t.Error("a secret is shown")
	}
	if *update {
		file := filepath.Join("testdata", "bad", c.name+".txtar")
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

// What an option is made of is not shown when its file cannot be read.
func TestUnreadableGroup(t *testing.T) {
	opt := testEnv
	opt.ReadFile = func(name string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENAMETOOLONG}
	}
	_, err := Load([]Source{{Name: "run.yaml", Data: []byte("defaults: [compute: '${oc.env:SECRET}']\n")}}, nil, opt)
	if err == nil {
		t.Fatal("is not refused")
	}
	requireEqual(t, "run.yaml:1:21: defaults[0]: the file of the group cannot be read: file name too long", err.Error())
}
