// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"maps"
	"time"

	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/components/internal/tally"
	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// reportAlways replaces delivery.json now and then.
func (e *engine) reportAlways() {
	tick := time.NewTicker(e.cfg.StatusInterval)
	defer tick.Stop()
	for {
		e.report(false)
		select {
		case <-tick.C:
		case <-e.quit:
			return
		}
	}
}

// report writes delivery.json, unless another collector has taken the directory over.
func (e *engine) report(last bool) {
	e.statusMu.Lock()
	defer e.statusMu.Unlock()
	if e.ended || e.fenced.Load() || e.overtaken() {
		return
	}
	e.ended = last
	e.mu.Lock()
	e.owner.Beat++
	file := e.snapshot()
	e.mu.Unlock()
	file.Ended = last
	err := file.Save(e.cfg.Directory)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem != "" && e.statusErr == "" {
		e.log.Warn("the record of what was delivered cannot be written", zap.Error(err))
	}
	e.statusErr = problem
}

// overtaken looks for a newer owner, and stops everything if there is one: two writers would spoil the files.
func (e *engine) overtaken() bool {
	found, err := delivery.Load(e.cfg.Directory)
	if err != nil || found.Owner.ID == e.owner.ID || !found.Owner.Newer(e.owner) {
		return false
	}
	e.fenced.Store(true)
	e.giveUp()
	e.log.Error("another collector writes into the directory now; this one stops writing and sending",
		zap.String("host", found.Owner.Host), zap.String("job_id", found.Owner.JobID))
	return true
}

// snapshot is the state of all signals, each in itself consistent.
func (e *engine) snapshot() *delivery.File {
	file := &delivery.File{
		Version: delivery.Version, RunID: e.cfg.RunID, JobID: e.cfg.JobID, Endpoint: e.cfg.Endpoint,
		Collector: e.version, Updated: time.Now().UTC().Format(time.RFC3339), Owner: e.owner,
		Signals: map[otlpfile.Signal]*delivery.Signal{},
	}
	if e.former != nil {
		maps.Copy(file.Signals, e.former.Signals)
		file.Gym = e.former.Gym
	}
	file.Gym.RenameClashes += tally.RenameClashes.Load()
	file.Gym.AuthorizationRemoved += tally.AuthorizationRemoved.Load()
	for _, s := range e.streams {
		if counts := s.snapshot(); counts != nil {
			file.Signals[s.signal] = counts
		}
	}
	return file
}

// snapshot is nil before it is known what the file holds.
func (s *stream) snapshot() *delivery.Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	counts.Ranges = append([]delivery.Range(nil), s.counts.Ranges...)
	counts.Undelivered = 0
	for _, r := range s.backlog {
		if r.items == unknown {
			return nil
		}
		counts.Undelivered += r.items
	}
	for _, e := range s.entries[s.shipped:] {
		counts.Undelivered += e.items
	}
	return &counts
}

// sayResult puts the end into the collector's log.
func (e *engine) sayResult() {
	for _, s := range e.streams {
		if c := s.snapshot(); c != nil && c.Accepted > 0 {
			e.log.Info("stopped", s.field(), countField("accepted", c.Accepted), countField("delivered", c.Delivered),
				countField("rejected", c.Rejected), countField("undelivered", c.Undelivered), countField("lost", c.Lost))
		}
	}
}

func (s *stream) field() zap.Field { return zap.String("signal", string(s.signal)) }

func reasonField(reason string) zap.Field { return zap.String("reason", reason) }

func countField(name string, n int64) zap.Field { return zap.Int64(name, n) }
