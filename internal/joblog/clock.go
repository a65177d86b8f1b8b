// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// clock reads the times that programs write at the beginning of their lines. Many leave out the year (vLLM), the day
// (job.sh) or the zone; what is missing follows from the line before, the beginning of the job, and the node's zone.
type clock struct {
	zone *time.Location
	// near is a moment that the next line is not far from.
	near time.Time
}

// stamp is a time with what may stand before it: the process as vLLM names it, brackets and quotes, and up to three
// words such as a level or the name of a field.
var stamp = regexp.MustCompile(`^(?:\x1b\[[0-9;]*m)*(?:\([^)\n]{1,60}\) )?[^\w\s]*(?:[A-Za-z_]{1,12}[^\w\n]{1,3}){0,3}` +
	`(?:(?:(\d{4})[-/])?(\d\d)[-/](\d\d)[ T])?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?\b`)

// read is the time that a line begins with.
func (c *clock) read(line []byte) (time.Time, bool) {
	const far = 120
	line = line[:min(len(line), far)]
	m := stamp.FindSubmatch(line)
	if len(m) == 0 || bytes.HasPrefix(line[len(m[0]):], []byte(":")) { // a hardware address looks like a time
		return time.Time{}, false
	}
	n := func(i int) int {
		v, _ := strconv.Atoi(string(m[i])) // digits, or nothing
		return v
	}
	if n(2) > 12 || n(3) > 31 || n(4) > 23 || n(5) > 59 || n(6) > 60 {
		return time.Time{}, false
	}
	zone, nanos := c.zone, n(7)
	for range 9 - len(m[7]) {
		nanos *= 10
	}
	if z, err := time.Parse("-0700", string(bytes.ReplaceAll(m[8], []byte(":"), nil))); err == nil {
		zone = z.Location()
	} else if string(m[8]) == "Z" {
		zone = time.UTC
	}
	near := c.near.In(zone)
	t := time.Date(near.Year(), near.Month(), near.Day(), n(4), n(5), n(6), nanos, zone)
	switch {
	case len(m[1]) > 0:
		t = time.Date(n(1), time.Month(n(2)), n(3), n(4), n(5), n(6), nanos, zone)
	case len(m[2]) > 0:
		t = closest(near, time.Date(near.Year(), time.Month(n(2)), n(3), n(4), n(5), n(6), nanos, zone), 1, 0)
	default:
		t = closest(near, t, 0, 1)
	}
	c.near = t
	return t, true
}

// closest is t, or the same a number of years and days earlier or later.
func closest(near, t time.Time, years, days int) time.Time {
	for _, other := range []time.Time{t.AddDate(-years, 0, -days), t.AddDate(years, 0, days)} {
		if near.Sub(other).Abs() < near.Sub(t).Abs() {
			t = other
		}
	}
	return t
}

// beginning is what job.sh says first. The zone is not in logs of its first versions.
var beginning = regexp.MustCompile(`(?m)^(\d\d:\d\d:\d\d)(?:\.\d+)? job .* begins on .*, (\d{4}-\d\d-\d\d)(?: ([+-]\d{4}))?`)

// began reads when a job began, in the zone of its node, from the first lines of its log. Without them it is the
// moment that is given, in the zone of this machine.
func began(ctx context.Context, h host.Host, jobLog string, otherwise time.Time) time.Time {
	const enough = 1 << 14
	text, err := h.ReadAt(ctx, jobLog, 0, enough)
	if err != nil {
		return otherwise.Local()
	}
	m := beginning.FindSubmatch(text)
	if m == nil {
		return otherwise.Local()
	}
	said := string(m[2]) + " " + string(m[1])
	if t, err := time.Parse(time.DateTime+" -0700", said+" "+string(m[3])); err == nil {
		return t
	}
	if t, err := time.ParseInLocation(time.DateTime, said, time.Local); err == nil {
		return t
	}
	return otherwise.Local()
}
