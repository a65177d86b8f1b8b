// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// beatInterval is how often an owner shows that it lives.
const beatInterval = 5 * time.Second

// ledger is delivery.json while a replay owns the directory.
type ledger struct {
	dir   string
	fence context.CancelCauseFunc // called when another writer takes over
	quit  chan struct{}
	ended chan struct{}

	mu      sync.Mutex
	file    *delivery.File
	changed bool
	saved   time.Time
	problem error // of the last attempt to save
}

var errOvertaken = errors.New("a collector or another replay has taken the directory over")

// openLedger takes the directory over.
func openLedger(job Job, fence context.CancelCauseFunc) (*ledger, error) {
	file := loadOrNew(job)
	file.Owner = nextOwner(file.Owner)
	file.Endpoint, file.Ended = job.Endpoint, false
	l := &ledger{dir: job.otel(), fence: fence, quit: make(chan struct{}), ended: make(chan struct{}), file: file}
	if l.save(); l.problem != nil {
		return nil, fmt.Errorf("note what is sent: %w", l.problem)
	}
	go l.keep()
	return l, nil
}

// loadOrNew takes a record that is of no use for none: then everything is sent.
func loadOrNew(job Job) *delivery.File {
	file, err := delivery.Load(job.otel())
	if err != nil {
		file = &delivery.File{Version: delivery.Version, RunID: filepath.Base(filepath.Dir(job.Dir))}
	}
	if file.Signals == nil {
		file.Signals = map[otlpfile.Signal]*delivery.Signal{}
	}
	return file
}

func nextOwner(former delivery.Owner) delivery.Owner {
	host, _ := os.Hostname() // for people
	return delivery.Owner{
		ID: rand.Text(), Generation: former.Generation + 1, Host: host, PID: os.Getpid(), JobID: "replay",
		Interval: int64(beatInterval / time.Second),
	}
}

// keep saves what changed once a second, and beats in any case.
func (l *ledger) keep() {
	defer close(l.ended)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-l.quit:
			return
		}
		l.mu.Lock()
		if l.changed || time.Since(l.saved) >= beatInterval {
			l.save()
		}
		l.mu.Unlock()
	}
}

// save replaces delivery.json unless it is somebody else's by now. The lock is held.
func (l *ledger) save() {
	found, err := delivery.Load(l.dir)
	if err == nil && found.Owner.ID != l.file.Owner.ID && found.Owner.Newer(l.file.Owner) {
		l.problem = errOvertaken
		l.fence(errOvertaken)
		return
	}
	l.file.Owner.Beat++
	l.file.Updated = time.Now().UTC().Format(time.RFC3339)
	l.problem = l.file.Save(l.dir)
	l.saved, l.changed = time.Now(), l.problem != nil
}

// update changes the record of a signal.
func (l *ledger) update(signal otlpfile.Signal, change func(*delivery.Signal)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := l.file.Signals[signal]
	if counts == nil {
		counts = &delivery.Signal{}
		l.file.Signals[signal] = counts
	}
	change(counts)
	l.changed = true
}

// close writes the last record.
func (l *ledger) close() error {
	close(l.quit)
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.problem, errOvertaken) {
		return nil // it was said
	}
	l.file.Ended = true
	if l.save(); l.problem != nil {
		return fmt.Errorf("note what was sent, so a replay would send it again: %w", l.problem)
	}
	return nil
}
