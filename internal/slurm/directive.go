// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package slurm speaks with Slurm's commands: what they are given and what they answer.
package slurm

import (
	"fmt"
	"regexp"
	"strings"
)

// plainDirective is text that sbatch reads as it stands.
var plainDirective = regexp.MustCompile(`^[A-Za-z0-9_./:%@=+,-]+$`)

// Directive writes one sbatch option as it stands behind #SBATCH; an option without a value
// is a flag. sbatch has a syntax of its own there, which is not the shell's: blanks end an
// argument, both kinds of quotes group, and a backslash escapes the next character even
// inside single quotes.
func Directive(name, value string) (string, error) {
	if strings.ContainsAny(value, "\n\r\x00") {
		return "", fmt.Errorf("sbatch option --%s: its value spans lines, which #SBATCH cannot hold", name)
	}
	switch {
	case value == "":
		return "--" + name, nil
	case plainDirective.MatchString(value):
		return "--" + name + "=" + value, nil
	}
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
	return fmt.Sprintf(`--%s="%s"`, name, escaped), nil
}
