// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// Report says what became of everything.
type Report struct {
	DryRun bool         `json:"dry_run"`
	Jobs   []*JobReport `json:"jobs"`
}

// JobReport is the part of one job directory.
type JobReport struct {
	Dir      string          `json:"dir"`
	Endpoint string          `json:"endpoint"`
	Error    string          `json:"error,omitempty"` // why it did not go on
	Signals  []*SignalReport `json:"signals"`         // those that there are files of
}

// SignalReport counts items: data points, spans or log records.
type SignalReport struct {
	Signal   otlpfile.Signal `json:"signal"`
	Lines    int64           `json:"lines"` // good ones, to be sent at the start
	Bytes    int64           `json:"bytes"` // of these lines
	Sent     int64           `json:"sent"`
	Rejected int64           `json:"rejected"`
	Left     int64           `json:"left"`
	// SkippedLines counts the lines that are no batch; Skipped has the first of them.
	SkippedLines int64     `json:"skipped_lines"`
	Skipped      []Skipped `json:"skipped,omitempty"`
	Error        string    `json:"error,omitempty"`
}

// Skipped is a line that is no batch.
type Skipped struct {
	Line   int64  `json:"line"` // counts from 1
	Start  int64  `json:"start"`
	End    int64  `json:"end"` // bytes in the file
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// maxSkipped bounds the lines that are told one by one.
const maxSkipped = 100

// Settled reports whether nothing is left and nothing failed.
func (r *Report) Settled() bool {
	for _, job := range r.Jobs {
		if job.Error != "" {
			return false
		}
		for _, s := range job.Signals {
			if s.Error != "" || s.Left > 0 {
				return false
			}
		}
	}
	return true
}
