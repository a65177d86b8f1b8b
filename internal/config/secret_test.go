// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"testing"
)

// everyPath lists the keys of a tree, with the mappings and lists themselves.
func everyPath(n *node, p keyPath) []keyPath {
	paths := []keyPath{p}
	for _, f := range n.fields {
		paths = append(paths, everyPath(f.value, p.key(f.key))...)
	}
	for i, item := range n.items {
		paths = append(paths, everyPath(item, p.item(i))...)
	}
	return paths
}

// A secret may be put into any key by mistake, on the command line or from the
// environment. What is said about it then must not repeat it.
func TestNoSecretIsShown(t *testing.T) {
	every := Source{Name: "every.yaml", Data: []byte(every)}
	complaints := 0
	for _, p := range everyPath(mustLoad(t, []Source{every}).origin.root, nil)[1:] {
		for _, value := range []string{
			canary, "x " + canary, "'" + canary + " \n'", "host:" + canary, "runtime:" + canary, "https://u:" + canary + "@h",
			"--x '" + canary, "$((" + canary + " 1))", "${" + canary, "[" + canary + "]", "[" + canary, `{"a": ` + canary + "}",
			"/a:" + canary, "1-" + canary, canary + "()", "ALL," + canary + "=x", "???" + canary,
			"${oc.env:SECRET}", "x ${oc.env:SECRET}", "host:${oc.env:SECRET}", "--x '${oc.env:SECRET}", "${oc.env:${oc.env:SECRET}}",
			"${${oc.env:SECRET}}", "${oc.env:MY_TOKEN}", "[\"${oc.env:SECRET}\"]",
		} {
			cfg, err := Load([]Source{every}, []string{p.String() + "=" + value}, testEnv)
			if err == nil {
				err = cfg.CheckDestination(testEnv)
			}
			if err == nil {
				continue
			}
			complaints++
			if strings.Contains(err.Error(), canary) {
				t.Errorf("%s=%s: %v", p, value, err)
			}
		}
	}
	if complaints < 1000 {
		t.Errorf("only %d of the values are wrong", complaints)
	}
}

// What a shell makes of otel.token_env=$OTEL_TOKEN may look like the name of a variable.
func TestATokenForItsVariableIsNotShown(t *testing.T) {
	const token = "s3cr3tCanary"
	_, err := Load([]Source{{Name: "every.yaml", Data: []byte(every)}}, []string{"otel.token_env=" + token, "otel.token_file=null"}, tokenOf(token, true))
	const want = "command line: otel.token_env=…: holds the token itself, which must not get into a file " +
		"(the collector gets the token without this, from the variable that otel.token_env names)"
	if err == nil || err.Error() != want {
		t.Errorf("it says %v, want %s", err, want)
	}
}

// A short token may well be a word of the file.
func TestAShortTokenIsNoFinding(t *testing.T) {
	if _, err := Load([]Source{{Name: "every.yaml", Data: []byte(every)}}, []string{"otel.token_file=null"}, tokenOf("gym", true)); err != nil {
		t.Error(err)
	}
}

// A file of another kind is not read to its end.
func TestReadFile(t *testing.T) {
	for name, want := range map[string]int{"/dev/null": 0, "/dev/zero": maxFileBytes + 1} {
		if data, err := ReadFile(name); err != nil || len(data) != want {
			t.Errorf("%s: %d bytes (%v), want %d", name, len(data), err, want)
		}
	}
}
