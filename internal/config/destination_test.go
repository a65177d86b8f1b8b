// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"strings"
	"testing"
)

func tokenOf(value string, set bool) Options {
	return Options{LookupEnv: func(name string) (string, bool) {
		if name == "OTEL_TOKEN" || name == "MY_TOKEN" {
			return value, set
		}
		return testEnv.LookupEnv(name)
	}}
}

func TestCheckDestination(t *testing.T) {
	const without = ", or set otel.enabled: false to run without a collector)"
	const export = " (export OTEL_TOKEN, name another variable in otel.token_env" + without
	const control = "base.yaml:24:3: otel.token_env: the token in the environment variable OTEL_TOKEN " +
		"holds a line end or another control character, which no HTTP header can carry" + export
	const held = "holds a line end or another control character, which no HTTP header can carry"
	const unread = "cannot stand in the collector's configuration: read as YAML it is a number beyond 63 bits, or a mapping whose keys are no text"
	for name, tc := range map[string]struct {
		yaml  string
		token Options
		want  string
	}{
		"complete":        {"", tokenOf("t", true), ""},
		"every ASCII":     {"", tokenOf("t !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~", true), ""},
		"number":          {"", tokenOf("1234567890123456789", true), ""},
		"long number":     {"", tokenOf("12345678901234567890", true), strings.Replace(control, held, unread, 1)},
		"question mark":   {"", tokenOf("?", true), strings.Replace(control, held, unread, 1)},
		"mapping":         {"", tokenOf("{1: "+canary+"}", true), strings.Replace(control, held, unread, 1)},
		"blank behind":    {"", tokenOf(canary+" ", true), strings.Replace(control, held, "begins or ends with a blank, which an HTTP header would lose", 1)},
		"endless":         {"", tokenOf(strings.Repeat("x", 4097), true), strings.Replace(control, held, "has more than 4096 characters, which no HTTP server takes", 1)},
		"disabled":        {"otel: {enabled: false, endpoint: null}", tokenOf("", false), ""},
		"token file":      {"otel: {token_file: /secure/token}", tokenOf("", false), ""},
		"no model":        {"services: null", tokenOf("", false), ""},
		"unset":           {"", tokenOf("", false), "base.yaml:24:3: otel.token_env: the environment variable OTEL_TOKEN, which has to hold the token, is not set" + export},
		"empty":           {"", tokenOf("", true), "base.yaml:24:3: otel.token_env: the environment variable OTEL_TOKEN, which has to hold the token, is blank" + export},
		"blank":           {"", tokenOf(" \t\n", true), "base.yaml:24:3: otel.token_env: the environment variable OTEL_TOKEN, which has to hold the token, is blank" + export},
		"line end":        {"", tokenOf(canary+"\n", true), control},
		"line end before": {"", tokenOf("\n"+canary, true), control},
		"tab":             {"", tokenOf(canary+"\tx", true), control},
		"NUL":             {"", tokenOf(canary+"\x00", true), control},
		"DEL":             {"", tokenOf(canary+"\x7f", true), control},
		"not ASCII":       {"", tokenOf(canary+"é", true), strings.Replace(control, "a line end or another control character", "a character that is not ASCII", 1)},
		"not UTF-8":       {"", tokenOf(canary+"\xff", true), strings.Replace(control, "a line end or another control character", "a character that is not ASCII", 1)},
		"C1 control":      {"", tokenOf(canary+"\u0085", true), strings.Replace(control, "a line end or another control character", "a character that is not ASCII", 1)},
		"all at once": {
			"otel:\n  endpoint: ''\n  service_name: ' '\n  token_env: MY_TOKEN\n", tokenOf("", false),
			"run.yaml:2:13: otel.endpoint: is required for a job with a collector (set otel.endpoint" + without + "\n" +
				"run.yaml:3:17: otel.service_name: is required for a job with a collector (set otel.service_name" + without + "\n" +
				"run.yaml:4:14: otel.token_env: the environment variable MY_TOKEN, which has to hold the token, is not set" +
				" (export MY_TOKEN, name another variable in otel.token_env" + without,
		},
		"no otel block": {
			"otel: null", tokenOf("t", true),
			"run.yaml:1:7: otel.endpoint: is required for a job with a collector (set otel.endpoint" + without + "\n" +
				"run.yaml:1:7: otel.service_name: is required for a job with a collector (set otel.service_name" + without,
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := loadOver(t, "_x: 1\n")
			if tc.yaml != "" {
				if name == "no model" {
					tc.yaml = "_x: 1"
				}
				cfg, err = loadOver(t, tc.yaml)
			}
			if err != nil {
				t.Fatal(err)
			}
			if name == "no model" {
				cfg.Services = nil
			}
			got := ""
			if err := cfg.CheckDestination(tc.token); err != nil {
				if _, ok := errors.AsType[Problems](err); !ok {
					t.Fatalf("%T is no Problems", err)
				}
				got = err.Error()
			}
			if strings.Contains(got, canary) {
				t.Error("the token is shown")
			}
			requireEqual(t, tc.want, got)
		})
	}
}

// A Config that no file stands behind has no places to name.
func TestCheckDestinationWithoutFile(t *testing.T) {
	cfg := &Config{
		Services: Map[Service]{{"a", Service{Type: ServiceVLLM}}},
		Otel:     Otel{Enabled: true, ServiceName: "gym", TokenEnv: "OTEL_TOKEN"},
	}
	err := cfg.CheckDestination(tokenOf("t", true))
	if err == nil {
		t.Fatal("nothing is missing")
	}
	requireEqual(t, "otel.endpoint: is required for a job with a collector "+
		"(set otel.endpoint, or set otel.enabled: false to run without a collector)", err.Error())
}

// Who only looks needs no token.
func TestCheckDestinationKeys(t *testing.T) {
	cfg := mustLoad(t, []Source{readFile(t, "base.yaml")})
	if err := cfg.CheckDestinationKeys(); err != nil {
		t.Error(err)
	}
	cfg.Otel.Endpoint = ""
	if err := cfg.CheckDestinationKeys(); err == nil {
		t.Error("the endpoint is not missed")
	}
	cfg.Otel.Enabled = false
	if err := cfg.CheckDestinationKeys(); err != nil {
		t.Error(err)
	}
}

func TestCheckEnv(t *testing.T) {
	cfg, err := loadOver(t, `
services: {policy: {env: {A: host:WORD, B: host:NOPE, C: runtime:NOPE, D: NOPE}}}
driver: {env: {E: host:NOT}}
`)
	if err != nil {
		t.Fatal(err)
	}
	err = cfg.CheckEnv(testEnv)
	if err == nil {
		t.Fatal("nothing is missing")
	}
	const hint = " is not set (export it, or write lit: for a value and runtime: for a variable of the job)"
	requireEqual(t, "run.yaml:2:44: services.policy.env.B: the environment variable NOPE"+hint+
		"\nrun.yaml:3:19: driver.env.E: the environment variable NOT"+hint, err.Error())
}
