// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

// The token in the collector's environment is nobody else's: see the package.
import _ "github.com/gym-otelcol/gym-otelcol/internal/hardening"
