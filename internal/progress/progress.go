// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package progress tells from what a job exported how far its benchmark is: the requests that
// the engines finished and the tokens that they generate.
package progress

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// Progress is how far the engines of one job are, as of their last scrape.
type Progress struct {
	RequestsFinished int64 `json:"requests_finished"`
	GenerationTokens int64 `json:"generation_tokens"`
	// TokensPerSecond is over the last minute; nil until there are two scrapes.
	TokensPerSecond *float64  `json:"tokens_per_second"`
	AsOf            time.Time `json:"as_of"`
}

// Of reads the end of a job directory's metrics. It is nil when nothing tells: no collector,
// no scrape yet, files for other eyes.
func Of(ctx context.Context, h host.Host, jobDir, jobID string) *Progress {
	path := filepath.Join(jobDir, "otel", otlpfile.Metrics.FileName())
	if h.Name() == "" {
		return ofFile(path, jobID)
	}
	// Over a line it is one look at less: a few scrapes.
	const enough = 1 << 20
	end, err := h.ReadEnd(ctx, path, enough)
	if err != nil {
		return nil
	}
	return Read(bytes.NewReader(end), int64(len(end)), jobID)
}

func ofFile(path, jobID string) *Progress {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeType != 0 {
		return nil
	}
	return Read(f, info.Size(), jobID)
}

// How much of a file's end is read: as much as two scrapes of one engine are, and more for as
// long as that does not hold two scrapes of every engine.
var windows = []int64{512 << 10, 4 << 20, 32 << 20}

// Read reads the end of a file of metrics.
func Read(file io.ReaderAt, size int64, jobID string) *Progress {
	var p *Progress
	for _, window := range windows {
		start := max(0, size-window)
		c := counters{job: jobID, series: map[string]*span{}}
		c.read(io.NewSectionReader(file, start, size-start), start)
		if p = c.progress(); c.complete() || start == 0 {
			break
		}
	}
	return p
}

// read takes in the lines that are whole and in order; the first one is cut when the reader
// does not begin at the beginning.
func (c *counters) read(source io.Reader, start int64) {
	r := otlpfile.NewReader(source, otlpfile.Metrics, start)
	for {
		line, err := r.NextWith(engineMetrics...)
		if err != nil {
			return // the end, or a disk in trouble: what was read so far still holds
		}
		if line.Kind == otlpfile.Good && (line.Start > start || start == 0) {
			c.add(line.Batch)
		}
	}
}
