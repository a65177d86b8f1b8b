// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]arguments{
		"serve m": {"m", "", "127.0.0.1", "8000"},
		"serve m --port 9 --tensor-parallel-size 4":                            {"m", "", "127.0.0.1", "9"},
		"serve m --port=9 --host=::1":                                          {"m", "", "::1", "9"},
		"serve m --trust-remote-code --served-model-name x --seed -1 --port 7": {"m", "x", "127.0.0.1", "7"},
		"serve --model m --enable-lora --lora-modules a b c --port 7":          {"m", "", "127.0.0.1", "7"},
	} {
		got, err := parse(strings.Fields(line))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "m", "serve", "serve --port 9"} {
		if _, err := parse(strings.Fields(line)); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}

func TestName(t *testing.T) {
	if got := (&arguments{model: "m"}).name(); got != "m" {
		t.Error(got)
	}
	if got := (&arguments{model: "m", servedName: "x"}).name(); got != "x" {
		t.Error(got)
	}
}
