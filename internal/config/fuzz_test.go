// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are all files of the tests, whole and in cases.
func seeds(f *testing.F) []string {
	f.Helper()
	out := []string{every}
	for _, pattern := range []string{"testdata/*.yaml", "testdata/upstream/*.yaml", "testdata/problems/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for text := range strings.SplitSeq(string(data), "\n=== ") {
				if strings.HasSuffix(file, ".txt") {
					_, text, _ = strings.Cut(text, "\n")
					text, _, _ = strings.Cut(text, "\n--- says\n")
				}
				out = append(out, strings.ReplaceAll(text, "→", "\t"))
			}
		}
	}
	return out
}

// FuzzLoad: whatever the files and the override are, Load either finds problems at places
// that exist, or returns what survives being written and read again.
func FuzzLoad(f *testing.F) {
	for _, seed := range seeds(f) {
		text, override, _ := strings.Cut(seed, "\n>>> ")
		f.Add([]byte(text), override, true)
	}
	base := readFile(f, "base.yaml")
	f.Fuzz(func(t *testing.T, data []byte, override string, overBase bool) {
		sources := []Source{{Name: "run.yaml", Data: data}}
		if overBase {
			sources = []Source{base, sources[0]}
		}
		var overrides []string
		if override != "" {
			overrides = []string{override}
		}
		opt := inFiles(map[string]string{"compute/a.yaml": string(data), "base.yaml": "_x: 1\n"})
		opt.LookupEnv = func(name string) (string, bool) {
			if strings.Contains(name, "TOKEN") {
				return tokenIn(name), true
			}
			return testEnv.LookupEnv(name)
		}
		cfg, err := Load(sources, overrides, opt)
		if err != nil {
			requireProblems(t, sources, err)
			return
		}
		if strings.Contains(marshal(t, cfg), tokenIn(cfg.Otel.TokenEnv)) {
			t.Error("the token is in the resolved config")
		}
		requireRoundTrip(t, cfg)
		if _, err := cfg.JSON(); err != nil {
			t.Error(err)
		}
		if err := cfg.CheckDestination(testEnv); err != nil {
			requireProblems(t, sources, err)
		}
	})
}

// tokenIn is what a variable holds that may be the one of the token.
func tokenIn(name string) string { return "<what " + name + " holds>" }

// requireProblems checks that each problem is one line and points into a file.
func requireProblems(t *testing.T, sources []Source, err error) {
	t.Helper()
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("%T is no Problems: %v", err, err)
	}
	for _, p := range problems {
		if p.Message == "" || strings.ContainsAny(p.String(), "\n\r") || !utf8.ValidString(p.String()) {
			t.Errorf("no line to read: %q", p.String())
		}
		if p.File == CommandLine {
			if p.Line != 0 || p.Column != 0 {
				t.Errorf("a place on the command line: %#v", p)
			}
			continue
		}
		for _, src := range sources {
			if src.Name == p.File {
				requirePlace(t, src, p)
			}
		}
	}
}

func requirePlace(t *testing.T, src Source, p Problem) {
	t.Helper()
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(string(src.Data))
	lines := strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n")
	if p.Line < 1 || p.Line > len(lines) {
		t.Fatalf("line %d of %d: %v", p.Line, len(lines), p)
	}
	// The end of a line is a place in it.
	if width := utf8.RuneCountInString(lines[p.Line-1]); p.Column < 1 || p.Column > width+1 {
		t.Errorf("column %d of %d: %v", p.Column, width, p)
	}
}

func BenchmarkLoad(b *testing.B) {
	src := readFile(b, "upstream", "gym-slurm_vllm_1IN.yaml")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load([]Source{src}, []string{"otel.enabled=false"}, testEnv); err != nil {
			b.Fatal(err)
		}
	}
}

// Files that multiply are refused before they fill the memory.
func TestLimits(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("_a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		n, m := string(rune('a'+i)), string(rune('a'+i-1))
		if i == 1 {
			m = "a0"
		}
		bomb.WriteString("_" + n + ": &" + n + " [*" + m + strings.Repeat(", *"+m, 9) + "]\n")
	}
	references := "_a: [x, x, x, x, x, x, x, x, x, x]\n"
	text := "_ta: xxxxxxxxxx\n"
	for i := 1; i < 12; i++ {
		n, m := string(rune('a'+i)), string(rune('a'+i-1))
		references += "_" + n + ": ['${_" + m + "}'" + strings.Repeat(", '${_"+m+"}'", 9) + "]\n"
		text += "_t" + n + ": " + strings.Repeat("${_t"+m+"}", 10) + "\n"
	}
	chain := "_0: x\n"
	for i := range 300 {
		chain = "_" + strings.Repeat("x", i+1) + ": ${_" + strings.Repeat("x", i) + "}\n" + chain
	}
	for name, tc := range map[string]struct{ text, want string }{
		"anchors":    {bomb.String(), "the file is too large or too deeply nested once its anchors are written out"},
		"depth":      {"a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "the file is too large or too deeply nested once its anchors are written out"},
		"more depth": {"a: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "the file is too deeply nested"},
		"references": {references, "the references bring in too many values"},
		"text":       {text, "the references bring in too much text"},
		"chain":      {strings.Replace(chain, "${_}", "x", 1), "the value refers through too many other keys"},
		"size":       {"a: " + strings.Repeat("x", maxFileBytes), "the file is larger than 4 MiB, which no submit file is"},
		"no UTF-8":   {"a: b\nc: \xff\n", "the file is not UTF-8 text: byte 0xff"},
		"UTF-16":     {"\xff\xfea\x00", "the file is not UTF-8 text: byte 0xff"},
		"invisible":  {"a: b\nc: x\ufeffy\n", "the file holds the invisible character U+FEFF"},
		"control":    {"a: b\nc: x\x1by\n", "the file holds the invisible character U+001B"},
	} {
		_, err := Load([]Source{{Name: "run.yaml", Data: []byte(tc.text)}}, nil, testEnv)
		var problems Problems
		if !errors.As(err, &problems) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found := false
		for _, p := range problems {
			found = found || p.Message == tc.want
		}
		if !found {
			t.Errorf("%s: got %.2000v, want %s", name, err, tc.want)
		}
	}
}

func TestLoadNothing(t *testing.T) {
	_, err := Load(nil, []string{"a=b"}, testEnv)
	requireEqual(t, "command line: no submit file is given (give one with -c FILE)", err.Error())
}

// Problems come in the order of the files, with the command line last.
func TestProblemOrder(t *testing.T) {
	_, err := Load([]Source{
		{Name: "b.yaml", Data: []byte("zz: 1\nyy: 1\n")},
		{Name: "a.yaml", Data: []byte("xx: 1\nservices: {}\ncompute: {c: {type: slurm, account: a}}\njob: {output_path: /x}\n" +
			"driver: {benchmarks: {b: {}}, ww: 1}\n")},
	}, []string{"vv=1", "job.uu=1"}, testEnv)
	const sections = ": unknown key (known keys: services, compute, driver, job, otel, hooks)\n"
	requireEqual(t, "b.yaml:1:1: zz"+sections+"b.yaml:2:1: yy"+sections+"a.yaml:1:1: xx"+sections+
		"a.yaml:5:31: driver.ww: unknown key (known keys: container, gym_install, policy_model, policy_host, policy_model_type, benchmarks, env, mounts)\n"+
		"command line: vv=…"+sections+"command line: job.uu=…: unknown key (known keys: output_path)", err.Error())
}
