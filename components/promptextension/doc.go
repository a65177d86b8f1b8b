// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

//go:generate go tool -modfile=../../internal/tools/go.mod mdatagen metadata.yaml

// Package promptextension is a middleware of servers. The collector stops its receivers one after another, in no
// certain order, and an OTLP receiver waits for every request under way, for ever if the client sent half of it.
// The last scrape, and everything else, would wait with it.
package promptextension // import "github.com/gym-otelcol/gym-otelcol/components/promptextension"
