// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package otlpfile reads the files that a job's collector leaves, otel/<signal>.jsonl: one OTLP export request
// as JSON a line.
//
// The stock parser is too kind for a record that people rely on: of two lines that lost the newline between
// them it returns the first and no error, and it takes {} or a line of another signal for a batch without
// items. This reader accepts a line only when all of it is one such batch, and skips every other line alone.
package otlpfile
