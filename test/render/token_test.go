// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// FuzzToken lets the collector's own reader judge every token that a submission accepts: it
// has to come out as it went in.
func FuzzToken(f *testing.F) {
	for _, token := range hostile {
		f.Add(token)
	}
	for _, token := range []string{
		"a$b", "a$$b", "a${HOME}b", "a${env:HOME}b", "a${1}b", "$a", "a b", `a\b`, "a#b", "{a}", "1234567890123456789",
		"18446744073709551615", "0x8000000000000000", "{1: a}", "[{2: b}]", "? a", "!!binary aGk=", "!!int x", "*a", "<<: a", "{a: 99999999999999999999}",
	} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		cfg := configOf("a", "b", "c")
		lookup := func(name string) (string, bool) { return token, name == "OTEL_TOKEN" }
		if cfg.CheckDestination(config.Options{LookupEnv: lookup}) != nil {
			return // refused
		}
		// The job script doubles the dollar signs.
		t.Setenv("OTEL_TOKEN", strings.ReplaceAll(token, "$", "$$"))
		var read struct {
			Token  string `mapstructure:"token"`
			Header string `mapstructure:"header"`
		}
		if err := resolve(t, "token: ${env:OTEL_TOKEN}\nheader: Bearer ${env:OTEL_TOKEN}\n").Unmarshal(&read); err != nil {
			t.Fatal(err)
		}
		if read.Token != token || read.Header != "Bearer "+token {
			t.Errorf("%q arrives as %q and %q", token, read.Token, read.Header)
		}
	})
}
