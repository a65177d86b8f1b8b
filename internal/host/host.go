// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package host tells this machine from others.
package host

import (
	"os"
	"strings"
)

// Name of this machine, empty when it has none.
func Name() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// IsHere reports whether a name from a submit file or a record means this machine.
func IsHere(name string) bool {
	own := Name()
	short, _, _ := strings.Cut(own, ".")
	switch name {
	case "", "localhost", own, short:
		return true
	}
	return false
}
