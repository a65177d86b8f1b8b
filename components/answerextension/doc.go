// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

//go:generate go tool -modfile=../../internal/tools/go.mod mdatagen metadata.yaml

// Package answerextension is a middleware of HTTP clients that send OTLP. It sees what the exporter does not tell
// its caller, and refuses what the exporter takes for a success.
package answerextension // import "github.com/gym-otelcol/gym-otelcol/components/answerextension"
