// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/connector"
	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/components/internal/token"
	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/internal/stopclock"
)

// engine is what the three signals of one journal share: the memory, the stop and delivery.json.
type engine struct {
	cfg     *Config
	log     *zap.Logger
	version string
	disk    disk

	memory  atomic.Int64           // bytes held for batches
	fenced  atomic.Bool            // another collector owns the directory now
	watch   func() <-chan struct{} // of which the channel is closed when the process is told to stop
	renewed func() <-chan struct{} // of which the channel is closed when the token is another one
	hurry   chan struct{}          // closed when the process is told to stop
	quit    chan struct{}          // closed at the very end

	sending context.Context // of all requests; ends with the budget of the stop
	giveUp  context.CancelFunc

	mu       sync.Mutex
	streams  []*stream
	running  int
	started  bool
	deadline time.Time // zero until the process is told to stop
	former   *delivery.File
	owner    delivery.Owner

	stopOnce  sync.Once
	finishing atomic.Bool
	statusMu  sync.Mutex // one writer of delivery.json at a time
	statusErr string     // what was wrong with it last
	ended     bool       // the last one was written
}

// engines are those of all configurations, because the collector makes one connector a signal.
var engines = struct {
	sync.Mutex
	of map[*Config]*engine
}{of: map[*Config]*engine{}}

func sharedEngine(cfg *Config, set connector.Settings) *engine {
	engines.Lock()
	defer engines.Unlock()
	e := engines.of[cfg]
	if e == nil {
		e = newEngine(cfg, set.Logger, set.BuildInfo.Version, realDisk{})
		engines.of[cfg] = e
	}
	return e
}

func newEngine(cfg *Config, log *zap.Logger, version string, d disk) *engine {
	e := &engine{
		cfg: cfg, log: log, version: version, disk: d,
		watch: stopclock.Watch, renewed: token.Changed, hurry: make(chan struct{}), quit: make(chan struct{}),
	}
	e.sending, e.giveUp = context.WithCancel(context.Background())
	return e
}

func (e *engine) add(signal otlpfile.Signal, push pushFunc) *stream {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := newStream(e, signal, push)
	e.streams = append(e.streams, s)
	return s
}

func (e *engine) pathOf(signal otlpfile.Signal) string {
	return filepath.Join(e.cfg.Directory, signal.FileName())
}

// room reports whether so many more bytes fit into memory.
func (e *engine) room(more int64) bool { return e.memory.Load()+more <= int64(e.cfg.CacheSize) }

func (e *engine) start(s *stream) error {
	if err := e.begin(); err != nil {
		return err
	}
	e.mu.Lock()
	e.running++
	e.mu.Unlock()
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	w := &writer{stream: s, log: logFile{disk: e.disk, path: s.path}, former: e.former}
	opened := make(chan error, 1)
	go func() {
		opened <- w.open()
		w.run(e.quit)
	}()
	s.running.Store(true)
	go (&sender{stream: s, size: e.cfg.RequestSize}).run(e.sending)
	select {
	case err := <-opened:
		if err != nil {
			return fmt.Errorf("directory: %w", err)
		}
	case <-time.After(patience):
		s.diskTrouble("the file cannot be opened yet")
	}
	return nil
}

// begin does once what concerns all signals.
func (e *engine) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started {
		return nil
	}
	if info, err := os.Stat(e.cfg.Directory); err != nil {
		return fmt.Errorf("directory: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("directory: %s is none", e.cfg.Directory)
	}
	e.started = true
	e.readFormer()
	told := e.watch()
	go e.reportAlways()
	go func() {
		select {
		case <-told:
			e.beginStop()
		case <-e.quit:
		}
	}()
	return nil
}

// readFormer looks at what an earlier collector left. Whatever that is, this one starts.
func (e *engine) readFormer() {
	former, err := delivery.Load(e.cfg.Directory)
	switch {
	case err == nil:
		e.former = former
	case !errors.Is(err, os.ErrNotExist):
		e.log.Warn("the record of what was delivered is of no use: all of the files is sent again", zap.Error(err))
	}
	e.owner = newOwner(e.cfg.JobID, e.cfg.StatusInterval)
	if former != nil {
		e.owner.Generation = former.Owner.Generation + 1
	}
}

func newOwner(job string, interval time.Duration) delivery.Owner {
	host, _ := os.Hostname() // for people
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return delivery.Owner{
		ID: rand.Text(), Generation: 1, Host: host, BootID: string(boot[:max(0, len(boot)-1)]), PID: os.Getpid(),
		JobID: job, RestartCount: os.Getenv("SLURM_RESTART_COUNT"), Interval: max(1, int64(interval/time.Second)),
	}
}

// left is the time until sending ends, once the process was told to stop.
func (e *engine) left() (left time.Duration, stopping bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.deadline.IsZero() {
		return 0, false
	}
	return time.Until(e.deadline), true
}

// metricsUnderWay reports whether metrics wait and the backend takes them.
func (e *engine) metricsUnderWay() bool {
	for _, s := range e.streams {
		if s.signal == otlpfile.Metrics {
			some, _ := s.waiting()
			return some && s.snapshotState() == stateIdle
		}
	}
	return false
}

// beginStop starts the one budget of the process. Whatever waits is tried at once.
func (e *engine) beginStop() {
	e.stopOnce.Do(func() {
		e.mu.Lock()
		e.deadline = time.Now().Add(e.cfg.StopTimeout)
		e.mu.Unlock()
		close(e.hurry)
		go func() {
			select {
			case <-time.After(e.cfg.StopTimeout):
				e.finish() // even when nobody got as far as to shut this component down
			case <-e.quit:
			}
		}()
	})
}

// leave is the Shutdown of one signal. The others may still be told to scrape once more, so only the last one
// waits; the senders go on meanwhile. (The next pipeline may have been shut down by then: an exporter without a
// queue of its own works all the same.)
func (e *engine) leave(s *stream) error {
	s.mu.Lock()
	running := s.started
	s.started, s.closed = false, true
	s.mu.Unlock()
	if !running {
		e.forget()
		return nil
	}
	e.beginStop()
	wake(s.wakeSender)
	e.mu.Lock()
	e.running--
	last := e.running == 0
	e.mu.Unlock()
	if last {
		e.drain()
		e.finish()
		e.forget()
	}
	return nil
}

func (e *engine) forget() {
	engines.Lock()
	defer engines.Unlock()
	delete(engines.of, e.cfg)
}

// drain waits until everything is sent or the budget is used up.
func (e *engine) drain() {
	for _, s := range e.streams {
		if !s.running.Load() {
			continue
		}
		select {
		case <-s.sent:
		case <-e.sending.Done():
		}
	}
}

// grace is how long the end waits for each of the things that may hang.
const grace = time.Second

// finish ends everything and writes the last delivery.json. What does not come to an end in time is left behind.
func (e *engine) finish() {
	if !e.finishing.CompareAndSwap(false, true) {
		<-e.quit
		return
	}
	for _, s := range e.streams {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
	}
	e.giveUp()
	within(grace, e.drainSenders)
	within(grace, e.flush)
	within(grace, func() { e.report(true) })
	close(e.quit)
	e.sayResult()
}

func (e *engine) drainSenders() {
	for _, s := range e.streams {
		if s.running.Load() {
			<-s.sent
		}
	}
}

// flush writes and syncs what waits, for all signals at the same time.
func (e *engine) flush() {
	var all sync.WaitGroup
	for _, s := range e.streams {
		if !s.running.Load() {
			continue
		}
		all.Go(func() {
			done := make(chan struct{})
			select {
			case s.flushes <- done:
				select {
				case <-done:
				case <-e.quit:
				}
			default: // the writer has hung for a long time
			}
		})
	}
	all.Wait()
}

// within waits for f, but not for ever.
func within(limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}
