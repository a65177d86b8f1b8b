// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"strings"
	"testing"
)

// scalarOf is what a text becomes in a file that has a few keys to refer to.
func scalarOf(t *testing.T, text string) (string, *node, error) {
	t.Helper()
	r := &report{names: []string{"run.yaml"}}
	at := position{line: 1, column: 1}
	leaf := func(text string) *node { return &node{at: at, text: text, plain: true} }
	value := &node{at: at, text: text}
	root := &node{kind: mapping, at: at, fields: []field{
		{key: "a", value: &node{kind: mapping, fields: []field{
			{key: "b", value: leaf("x")},
			{key: "port", value: leaf("8000")},
			{key: "list", value: &node{kind: list, items: []*node{leaf("zero"), leaf("one")}}},
			{key: "qwen2.5", value: leaf("dotted")},
			{key: "value", value: value},
		}}},
		{key: "name", value: leaf("b")},
		{key: "null", value: leaf("~")},
	}}
	interpolate(root, testEnv.lookupEnv, r)
	got := root.get("a").get("value")
	return got.text, got, r.err()
}

func TestInterpolate(t *testing.T) {
	for text, want := range map[string]string{
		`plain`:                                `plain`,
		`$NAME $(cmd) $$ {a} }`:                `$NAME $(cmd) $$ {a} }`,
		`${a.b}`:                               `x`,
		`${ a.b }`:                             `x`,
		`1${a.b}2${a.b}`:                       `1x2x`,
		`${a.list[1]}`:                         `one`,
		`${a.list.0}`:                          `zero`,
		`${a.qwen2.5}`:                         `dotted`,
		`${a[qwen2.5]}`:                        `dotted`,
		`${a.${name}}`:                         `x`,
		`${.b}`:                                `x`,
		`${..a.b}`:                             `x`,
		`${.list[0]}`:                          `zero`,
		`${oc.env:TP}`:                         `4`,
		`${oc.env: TP }`:                       `4`,
		`${oc.env:'TP'}`:                       `4`,
		`${oc.env:TP,9}`:                       `4`,
		`${oc.env:EMPTY,9}`:                    ``,
		`${oc.env:NOPE,9}`:                     `9`,
		`${oc.env:NOPE, a b }`:                 `a b`,
		`${oc.env:NOPE,}`:                      ``,
		`${oc.env:NOPE,''}`:                    ``,
		`${oc.env:NOPE,' a, } '}`:              ` a, } `,
		`${oc.env:NOPE,"it's"}`:                `it's`,
		`${oc.env:NOPE,'it\'s'}`:               `it's`,
		`${oc.env:NOPE,'a\\'}`:                 `a\`,
		`${oc.env:NOPE,'null'}`:                `null`,
		`${oc.env:NOPE,http://localhost:4318}`: `http://localhost:4318`,
		`${oc.env:NOPE,a\,b\}}`:                `a,b}`,
		`${oc.env:NOPE,${oc.env:TP}}`:          `4`,
		`${oc.env:NOPE,${oc.env:NO,${a.b}}-y}`: `x-y`,
		`${oc.env:NOPE,'${a.b} ${name}'}`:      `x b`,
		`${oc.env:TEMPLATE}`:                   `${job.output_path}`,
		`\${a.b}`:                              `${a.b}`,
		`\\${a.b}`:                             `\x`,
		`\\\${a.b}`:                            `\${a.b}`,
		`\\\\${a.b}`:                           `\\x`,
		`C:\dir\`:                              `C:\dir\`,
		`\${a} ${name} \n`:                     `${a} b \n`,
		`\${a.${name}}`:                        `${a.b}`,
		`\$ {`:                                 `\$ {`,
	} {
		got, _, err := scalarOf(t, text)
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}

// A reference that is the whole value keeps the type of what it refers to.
func TestInterpolateKeepsType(t *testing.T) {
	_, n, err := scalarOf(t, "${a.port}")
	if err != nil || !n.isNumber() {
		t.Errorf("a number became text: %v", err)
	}
	_, n, err = scalarOf(t, "${null}")
	if err != nil || !n.isNull() {
		t.Errorf("null became text: %v", err)
	}
	_, n, err = scalarOf(t, "${oc.env:NOPE,null}")
	if err != nil || !n.isNull() {
		t.Errorf("the default null is text: %v", err)
	}
	_, n, err = scalarOf(t, "${a.list}")
	if err != nil || n.kind != list || len(n.items) != 2 {
		t.Errorf("a list did not stay one: %v", err)
	}
	_, n, err = scalarOf(t, "${oc.env:FLAG}")
	if _, isBool := n.boolean(); err != nil || isBool {
		t.Errorf("text of the environment became a bool: %v", err)
	}
}

func TestInterpolateRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`${`:            "a ${ has no closing }",
		`${a`:           "a ${ has no closing }",
		`${oc.env:A`:    "a ${ has no closing }",
		`${oc.env:`:     "a ${ has no closing }",
		`${oc.env:A,`:   "a ${ has no closing }",
		`${oc.env:A, `:  "a ${ has no closing }",
		`${oc.env:'A`:   "a quote in ${...} is not closed",
		`${}`:           "a ${} names nothing",
		`${:x}`:         "a ${} names nothing",
		`${a.value}`:    "the references go in a circle: a.value",
		`${.value}`:     "the references go in a circle: a.value",
		`${a}`:          "the references go in a circle: a, a.value",
		`${....x}`:      "there is no key ....x",
		`${a.}`:         "there is no key a.",
		`${a.list[2]}`:  "there is no key a.list[2]",
		`${a.list[-1]}`: "there is no key a.list[-1]",
		`${a.list.x}`:   "there is no key a.list.x",
		`${a.b.c}`:      "there is no key a.b.c",
		`x${a.list}`:    "${a.list} refers to a list, which cannot be part of a text",
		`x${null}`:      "${null} refers to null, which cannot be part of a text",
		`${a.${null}}`:  "${null} refers to null, which cannot be part of a text",
		strings.Repeat("${", 30) + "a.b" + strings.Repeat("}", 30): "the references are too deeply nested",
	} {
		_, _, err := scalarOf(t, text)
		problems, _ := errors.AsType[Problems](err)
		if len(problems) != 1 || problems[0].Message != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func FuzzInterpolate(f *testing.F) {
	for _, text := range []string{`${a.b}`, `\\${oc.env:TP,'a\'b'}`, `${a.${name}}`, `x\${y}`, `${.list[0]}`, `${oc.env:NO,${null}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, n, err := scalarOf(t, text)
		if (err != nil) != n.broken {
			t.Errorf("%q: broken is %v, but the error %v", text, n.broken, err)
		}
		if strings.Contains(text, "OTEL_TOKEN") && err == nil && strings.Contains(n.text, canary) {
			t.Errorf("%q reads the token", text)
		}
		// Text that is escaped stands for itself, whatever it is.
		got, _, err := scalarOf(t, escapeTemplate(text))
		if err != nil || got != text {
			t.Errorf("%q became %q escaped, and then %q, %v", text, escapeTemplate(text), got, err)
		}
	})
}
