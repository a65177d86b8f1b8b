// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package delivery is otel/delivery.json: what of a job's telemetry reached the backend and what did not. The
// job's collector writes it, the job script prints from it, and a replay goes on from it.
package delivery

import (
	"fmt"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/plain"
)

// FileName is the name of the file in a job's otel directory.
const FileName = "delivery.json"

// Version of the format. A file of another version is read as if it were not there.
const Version = 1

// File is the content of delivery.json.
type File struct {
	Version   int    `json:"version"`
	RunID     string `json:"run_id"`
	JobID     string `json:"job_id"`
	Endpoint  string `json:"endpoint"`
	Collector string `json:"collector"` // its version
	Updated   string `json:"updated"`   // for people; nothing is decided by it
	// Ended says that the collector stopped in order and will not write here again.
	Ended   bool                        `json:"ended"`
	Owner   Owner                       `json:"owner"`
	Signals map[otlpfile.Signal]*Signal `json:"signals"`
	Gym     Gym                         `json:"gym"`
}

// Gym is what the gym processor found in the telemetry of all parts of the job.
type Gym struct {
	// RenameClashes are metrics that kept their name because the new one was in the scope already.
	RenameClashes int64 `json:"rename_clashes"`
	// AuthorizationRemoved are resource attributes of that name that producers sent.
	AuthorizationRemoved int64 `json:"authorization_removed"`
}

// Owner is the one collector that may write into the directory.
type Owner struct {
	ID           string `json:"id"`         // random
	Generation   int64  `json:"generation"` // one more than the owner before
	Host         string `json:"host"`
	BootID       string `json:"boot_id"`
	PID          int    `json:"pid"`
	JobID        string `json:"job_id"`
	RestartCount string `json:"restart_count"`
	// Beat counts up while the owner lives. Clocks of two nodes are never compared: an observer that sees
	// the beat stand still for two intervals of its own takes the owner for dead.
	Beat     int64 `json:"beat"`
	Interval int64 `json:"interval_seconds"`
}

// Newer reports whether o has taken the directory over from other.
func (o Owner) Newer(other Owner) bool {
	if o.Generation != other.Generation {
		return o.Generation > other.Generation
	}
	return o.ID > other.ID // both took over at the same moment; one of them has to give way
}

// Signal counts items: data points, spans or log records.
type Signal struct {
	Accepted    int64 `json:"accepted"`
	Delivered   int64 `json:"delivered"`
	Rejected    int64 `json:"rejected"`
	Undelivered int64 `json:"undelivered"`
	// Lost is what was on no disk and found no room in memory while the backend was away.
	Lost int64 `json:"lost"`
	// Unwritten is how many of all these are missing in the file because the disk was in trouble.
	Unwritten int64      `json:"unwritten"`
	State     string     `json:"state"` // what the sender does, in one word
	Position  Position   `json:"position"`
	Ranges    []Range    `json:"ranges,omitempty"`
	LastError *LastError `json:"last_error,omitempty"`
}

// Check returns an error unless every accepted item is accounted for.
func (s *Signal) Check() error {
	if sum := s.Delivered + s.Rejected + s.Undelivered + s.Lost; s.Accepted != sum {
		return fmt.Errorf("accepted %d, but delivered %d + rejected %d + undelivered %d + lost %d = %d",
			s.Accepted, s.Delivered, s.Rejected, s.Undelivered, s.Lost, sum)
	}
	return nil
}

// Position is a place in the signal's file: all before it is settled and synced.
type Position struct {
	Offset int64 `json:"offset"`
	// LineLength and LineCRC32C are of the line that ends at Offset: the file is the one that was meant
	// only if it has that line there.
	LineLength int64  `json:"line_length"`
	LineCRC32C string `json:"line_crc32c"`
	// What had become of the items before Offset. The counts above may be ahead of it.
	Delivered int64 `json:"delivered"`
	Rejected  int64 `json:"rejected"`
	Lost      int64 `json:"lost"`
}

// Range is a part of the file that did not go out as a whole.
type Range struct {
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
	Items  int64  `json:"items"`  // rejected, of the lines in the range
	Status int    `json:"status"` // of the backend's answer, 0 without one
	Reason string `json:"reason"` // rejected, too_old, partial, damaged
}

// LastError is the last thing that went wrong on the way to the backend.
type LastError struct {
	Time    string `json:"time"`
	Class   string `json:"class"` // transient, endpoint, data or disk
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// maxMessage bounds the text of an error.
const maxMessage = 1 << 10

// NewError returns a LastError with a text of bounded length, in one line.
func NewError(class string, status int, message string) *LastError {
	message = plain.Begin(strings.Join(strings.Fields(plain.Text(message)), " "), maxMessage)
	return &LastError{Time: time.Now().UTC().Format(time.RFC3339), Class: class, Status: status, Message: message}
}

// maxRanges is how many ranges are kept apart.
const maxRanges = 1000

// AddRange notes a range. Neighbours of one kind become one; when there are too many, the last one grows.
func (s *Signal) AddRange(r Range) {
	if n := len(s.Ranges); n > 0 {
		last := &s.Ranges[n-1]
		same := last.Reason == r.Reason && last.Status == r.Status
		if n >= maxRanges || (same && last.End >= r.Start) {
			if !same {
				last.Reason, last.Status = "several", 0
			}
			last.End = max(last.End, r.End)
			last.Items += r.Items
			return
		}
	}
	s.Ranges = append(s.Ranges, r)
}
