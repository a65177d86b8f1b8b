// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

//go:generate go tool -modfile=../../internal/tools/go.mod mdatagen metadata.yaml

// Package journalconnector is a write-ahead log between two pipelines. A batch is written to a file as one line,
// its producer is answered, and then it is sent to the next pipeline until that took it.
package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"
