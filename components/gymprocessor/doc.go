// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

//go:generate go tool -modfile=../../internal/tools/go.mod mdatagen metadata.yaml

// Package gymprocessor makes the telemetry of an evaluation run tell which run it belongs to. It renames
// metric name prefixes, stamps the run's identity on every resource and keeps the tenant's Authorization
// attribute out of the pipelines that must not carry it.
package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"
