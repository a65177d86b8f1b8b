// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"bytes"
	"io"
	"slices"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// writer brings the entries of a stream into its file. It is the only goroutine that waits for the disk on behalf
// of the log: when a call hangs, only this hangs.
type writer struct {
	*stream
	log      logFile
	former   *delivery.File // what an earlier collector left
	resumed  bool           // it was looked at
	failures int
	dirty    time.Time // when the first line after the last sync was written; zero: there is none
}

func (w *writer) run(quit <-chan struct{}) {
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		var flushed chan struct{}
		select {
		case <-quit:
			w.log.close()
			return
		case flushed = <-w.flushes:
		case <-w.wakeWriter:
			if w.failures > 0 {
				continue // not at each batch: the server of a full disk has enough to do
			}
		case <-tick.C:
		}
		if flushed != nil {
			w.flush()
			close(flushed)
		} else {
			w.work(false)
		}
		tick.Reset(w.rest())
	}
}

// rest is how long there is nothing to do.
func (w *writer) rest() time.Duration {
	switch {
	case w.failures > 0:
		return min(time.Second<<min(w.failures-1, 3), 5*time.Second)
	case !w.dirty.IsZero():
		return max(0, w.engine.cfg.SyncInterval-time.Since(w.dirty))
	}
	return time.Hour
}

// flushAttempts is how often the last writes are tried.
const flushAttempts = 5

// flush writes and syncs everything, now. There is no later.
func (w *writer) flush() {
	for range flushAttempts {
		w.work(true)
		if w.failures == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// work writes what waits, and syncs when it is time.
func (w *writer) work(flush bool) {
	if err := w.open(); err != nil { // it hung when the collector started
		w.failed(err)
		return
	}
	for {
		e := w.next()
		if e == nil {
			break
		}
		if w.dirty.IsZero() {
			w.dirty = time.Now()
		}
		start, err := w.log.append(e.line)
		if !w.wrote(e, start, err) {
			return
		}
		if w.crowded() {
			w.sync()
		}
	}
	if flush || (!w.dirty.IsZero() && time.Since(w.dirty) >= w.engine.cfg.SyncInterval) {
		w.sync()
	}
}

// next returns the entry to write.
func (w *writer) next() *entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.written < len(w.entries) && w.entries[w.written].foreign {
		w.written++ // it is in the file already
	}
	if w.written == len(w.entries) || w.engine.fenced.Load() {
		return nil
	}
	w.writing = true
	return w.entries[w.written]
}

func (w *writer) wrote(e *entry, start int64, err error) (ok bool) {
	var foreign []*entry
	if err != nil {
		w.failed(err)
	} else {
		foreign = w.foreign()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = false
	if err != nil {
		w.makeRoom(0)
		return false
	}
	w.recovered()
	e.start, e.end = start, start+int64(len(e.line))
	w.adopt(foreign)
	w.written++
	e.answer()
	return true
}

// foreign reads what another collector appended before the line just written.
func (w *writer) foreign() (found []*entry) {
	r := w.log.foreign
	if r.start >= r.end {
		return nil
	}
	reader := otlpfile.NewReader(io.NewSectionReader(w.log.file, r.start, r.end-r.start), w.signal, r.start)
	for {
		line, err := reader.Next()
		if err != nil {
			return found
		}
		if line.Kind == otlpfile.Good {
			found = append(found, &entry{
				line: bytes.Clone(line.Text), items: int64(line.Items), start: line.Start, end: line.End, foreign: true,
			})
		}
	}
}

// adopt puts the lines of another collector into the queue, before the one just written or at least behind those on
// their way. The lock is held.
func (w *writer) adopt(found []*entry) {
	if len(found) == 0 {
		return
	}
	w.engine.log.Warn("another collector still wrote into the directory; its lines are sent as well", w.field(), countField("lines", int64(len(found))))
	if w.taken <= w.written {
		w.entries = slices.Insert(w.entries, w.written, found...)
		w.written += len(found)
	} else {
		w.entries = slices.Insert(w.entries, w.taken, found...)
	}
	for _, e := range found {
		w.counts.Accepted += e.items
		w.engine.memory.Add(e.cost())
	}
	w.followed = true
	wake(w.wakeSender)
}

func (w *writer) failed(err error) {
	w.failures++
	w.diskTrouble(err.Error())
}

// recovered notes that the disk works. The lock is held.
func (w *writer) recovered() {
	if w.trouble != "" {
		w.engine.log.Info("the disk works again", w.field())
	}
	w.failures, w.trouble = 0, ""
}

// crowded: memory is full of lines that only a sync can free.
func (w *writer) crowded() bool { return !w.engine.room(0) }

func (w *writer) sync() {
	w.mu.Lock()
	covered := w.written - w.synced
	w.mu.Unlock()
	err := w.log.sync()
	if err != nil {
		w.failed(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty = time.Time{}
	if err != nil {
		w.written = w.synced // what is in the kernel's memory may be gone: all of it is written again
		return
	}
	w.synced += covered
	w.release()
	w.makeRoom(0)
}
