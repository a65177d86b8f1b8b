// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// pushFunc hands a batch to the next pipeline and returns what became of it.
type pushFunc func(ctx context.Context, batch otlpfile.Batch) error

// entry is one accepted batch, as long as it has to be remembered.
type entry struct {
	line  []byte         // as it is in the file, newline included
	batch otlpfile.Batch // saves parsing the line when the batch can go out at once; used up by the first attempt
	items int64

	start, end int64 // in the file, once it is written
	inFile     bool  // forgotten here: the sender reads it from the file
	foreign    bool  // another collector wrote it

	answered chan struct{} // closed when the producer need not wait any longer
	waiting  bool

	delivered, rejected int64 // once it is shipped
}

// overhead of an entry beside its line.
const overhead = 256

func (e *entry) cost() int64 { return int64(cap(e.line)) + overhead }

// region is a part of the file that waits to be read and sent.
type region struct{ start, end, items int64 }

// stream is the journal of one signal. Its batches form one queue in the order of their acceptance: first what
// is only in the file (backlog), then what is in memory (entries). Three places move along the entries from the
// front, each on its own: shipped, written, synced. An entry is forgotten when it is both shipped and synced.
type stream struct {
	signal otlpfile.Signal
	engine *engine
	push   pushFunc
	path   string

	wakeWriter, wakeSender chan struct{} // capacity 1
	opened                 chan struct{} // closed when the writer has found the end of the file
	flushes                chan chan struct{}
	sent                   chan struct{} // closed when the sender has ended

	running atomic.Bool // it has a sender and a writer

	mu       sync.Mutex
	started  bool
	backlog  []region
	entries  []*entry
	shipped  int
	taken    int // by the sender: they may be on their way
	written  int
	synced   int
	followed bool   // another collector still wrote: there are foreign entries
	writing  bool   // the first entry that is not written is being written
	trouble  string // what is wrong with the disk; producers do not wait for it then
	closed   bool   // nothing more is accepted
	counts   delivery.Signal
	former   int64 // items that an earlier collector had not settled at its position
}

func newStream(e *engine, signal otlpfile.Signal, push pushFunc) *stream {
	return &stream{
		signal: signal, engine: e, push: push, path: e.pathOf(signal),
		wakeWriter: make(chan struct{}, 1), wakeSender: make(chan struct{}, 1),
		opened: make(chan struct{}), flushes: make(chan chan struct{}, 4), sent: make(chan struct{}),
		counts: delivery.Signal{State: stateIdle},
	}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is about to look anyway
	}
}

var (
	errStopped = errors.New("the journal has stopped")
	errFenced  = errors.New("another collector writes into the directory now")
)

// accept takes a batch over. It returns an error only when the batch cannot be one of ours or came too late:
// trouble with the disk or the backend is never the producer's.
func (s *stream) accept(batch otlpfile.Batch) error {
	items := otlpfile.Items(batch)
	if items == 0 {
		return nil
	}
	line, err := otlpfile.Marshal(batch)
	if err != nil {
		return fmt.Errorf("write %s as JSON: %w", s.signal, err)
	}
	if len(line) <= s.engine.cfg.MaxLine {
		return s.enqueue(&entry{line: line, batch: batch, items: int64(items), answered: make(chan struct{})})
	}
	if items == 1 {
		return fmt.Errorf("one item of %d bytes is longer than max_line", len(line))
	}
	first, second := otlpfile.Halves(batch)
	return errors.Join(s.accept(first), s.accept(second))
}

// patience is how long a producer waits for a call to the disk.
const patience = 2 * time.Second

func (s *stream) enqueue(e *entry) error {
	wait, err := s.add(e)
	if err != nil || !wait {
		return err
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-e.answered:
	case <-timer.C:
		if s.engine.fenced.Load() {
			return errFenced // it will not be written any more
		}
		s.diskTrouble("a call to the file system has not returned")
	}
	return nil
}

// add puts an entry at the end of the queue and says whether its producer should wait for the disk.
func (s *stream) add(e *entry) (wait bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false, errStopped
	}
	if s.engine.fenced.Load() {
		return false, errFenced
	}
	s.counts.Accepted += e.items
	if s.makeRoom(e.cost()); s.trouble != "" && !s.engine.room(e.cost()) {
		s.lose(e.items, "no disk to write to, and no memory left while the backend is away: "+s.trouble)
		return false, nil
	}
	if s.shipped < len(s.entries) || len(s.backlog) > 0 {
		e.batch = nil // it will wait; its line is smaller
	}
	s.engine.memory.Add(e.cost())
	s.entries = append(s.entries, e)
	e.waiting = s.trouble == ""
	wake(s.wakeWriter)
	wake(s.wakeSender)
	return e.waiting, nil
}

// answer lets a producer go.
func (e *entry) answer() {
	if e.waiting {
		e.waiting = false
		close(e.answered)
	}
}

// diskTrouble lets all producers go, and those that come until the disk works again.
func (s *stream) diskTrouble(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble == "" {
		s.engine.log.Warn("the disk is in trouble; batches go on from memory", s.field(), reasonField(reason))
	}
	s.trouble = reason
	for _, e := range s.entries[s.written:] {
		e.answer()
	}
}

// lose counts items that are nowhere any more. The lock is held.
func (s *stream) lose(items int64, reason string) {
	if items <= 0 {
		return
	}
	if s.counts.Lost == 0 {
		s.engine.log.Error("items are lost", s.field(), reasonField(reason))
	}
	s.counts.Lost += items
	s.counts.Position.Lost += items
	s.counts.Unwritten += items
}

// makeRoom forgets what can be forgotten until more bytes fit in. What is synced is read from the file later;
// what was shipped will be missing in the file. The lock is held.
func (s *stream) makeRoom(more int64) {
	for !s.engine.room(more) {
		unwritten := s.written
		if s.writing {
			unwritten++
		}
		switch {
		case s.shipped == 0 && s.synced > 0:
			s.evict()
		case s.shipped > unwritten:
			s.skip(unwritten)
		default:
			return
		}
	}
}

// evict leaves the oldest entry to the file.
func (s *stream) evict() {
	e := s.pop()
	e.inFile = true
	// A healing newline may be between.
	if n := len(s.backlog); n > 0 && e.start >= s.backlog[n-1].end && e.start-s.backlog[n-1].end <= 1 {
		s.backlog[n-1].end = e.end
		s.backlog[n-1].items += e.items
		return
	}
	s.backlog = append(s.backlog, region{e.start, e.end, e.items})
}

// skip gives up writing an entry that the backend has.
func (s *stream) skip(i int) {
	e := s.entries[i]
	s.entries = append(s.entries[:i], s.entries[i+1:]...)
	s.shipped--
	s.taken--
	s.engine.memory.Add(-e.cost())
	s.counts.Unwritten += e.items
	s.pass(e.delivered, e.rejected)
}

// pop takes the oldest entry out of memory.
func (s *stream) pop() *entry {
	e := s.entries[0]
	s.entries[0] = nil
	s.entries = s.entries[1:]
	s.shipped, s.taken, s.written, s.synced = max(0, s.shipped-1), max(0, s.taken-1), s.written-1, s.synced-1
	s.engine.memory.Add(-e.cost())
	return e
}

// release forgets the entries that are done with, and moves the position behind them.
func (s *stream) release() {
	if len(s.backlog) > 0 {
		return // the file was opened late, and what an earlier collector left is not settled
	}
	for min(s.shipped, s.synced) > 0 && !s.held() {
		e := s.pop()
		if e.end > s.counts.Position.Offset {
			s.moveTo(e.end, e.line)
		}
		s.pass(e.delivered, e.rejected)
	}
}

// held: a line of another collector is in the file before the end of the oldest entry, and has not gone out yet.
func (s *stream) held() bool {
	if !s.followed {
		return false
	}
	return slices.ContainsFunc(s.entries[s.shipped:], func(e *entry) bool { return e.foreign && e.start < s.entries[0].end })
}

func (s *stream) pass(delivered, rejected int64) {
	s.counts.Position.Delivered += delivered
	s.counts.Position.Rejected += rejected
}

// moveTo sets the position behind a line.
func (s *stream) moveTo(end int64, line []byte) {
	p := &s.counts.Position
	p.Offset, p.LineLength, p.LineCRC32C = end, int64(len(line)), delivery.Checksum(line)
}
