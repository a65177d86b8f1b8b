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
