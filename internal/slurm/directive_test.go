// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import "testing"

func TestDirective(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"partition", "batch", `--partition=batch`},
		{"exclusive", "", `--exclusive`},
		{"chdir", "/lustre/my runs/x", `--chdir="/lustre/my runs/x"`},
		{"comment", `{"a": "it's #1", "b": "c:\d"}`, `--comment="{\"a\": \"it's #1\", \"b\": \"c:\\d\"}"`},
		{"job-name", "gym-größe", `--job-name="gym-größe"`},
		{"signal", "B:USR1@60", `--signal=B:USR1@60`},
	} {
		got, err := Directive(c.name, c.value)
		if err != nil || got != c.want {
			t.Errorf("Directive(%q, %q) = %s, %v, want %s", c.name, c.value, got, err, c.want)
		}
	}
}

func TestDirectiveRefusesLines(t *testing.T) {
	if got, err := Directive("comment", "a\nb"); err == nil {
		t.Errorf("a value of two lines became %q", got)
	}
}
