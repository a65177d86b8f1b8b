// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// bubble runs a test on a clock of its own.
func bubble(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newFixture(t)) })
}

func TestEverythingWorks(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.start(t)
		var all []string
		for range 10 {
			all = append(all, f.accept(t, 3, "s")...)
			time.Sleep(time.Second)
		}
		began := time.Now()
		f.stop(t)
		if took := time.Since(began); took > 0 {
			t.Errorf("the stop took %v", took)
		}
		names, bad := f.inFile(t)
		has(t, "the file", names, all)
		has(t, "the backend", f.backend.seen(), all)
		got := f.record(t)
		if got.Delivered != 30 || got.Position.Offset != int64(len(f.disk.content(f.stream.path))) || bad != 0 {
			t.Errorf("%+v, %d bad lines", got, bad)
		}
		for name, n := range f.backend.seen() {
			if n != 1 {
				t.Errorf("%s arrived %d times", name, n)
			}
		}
	})
}

func TestBackoffGrowsAndHurriesAtTheStop(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status = 503
		f.start(t)
		f.accept(t, 1, "s")
		time.Sleep(10 * time.Minute)
		calls := f.backend.count()
		if calls < 20 || calls > 120 {
			t.Errorf("%d attempts in ten minutes", calls)
		}
		close(f.told)
		time.Sleep(time.Millisecond)
		if f.backend.count() != calls+1 {
			t.Errorf("%d attempts at once when told to stop, want 1", f.backend.count()-calls)
		}
		time.Sleep(10 * time.Second)
		if n := f.backend.count() - calls; n < 6 {
			t.Errorf("only %d attempts in 10 s while stopping", n)
		}
		f.backend.set(func(b *fakeBackend) { b.status = 200 })
		f.stop(t)
		if got := f.record(t); got.Delivered != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestRetryAfterIsKeptUpToAMinute(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status, f.backend.retry = 429, time.Hour
		f.start(t)
		f.accept(t, 1, "s")
		time.Sleep(10*time.Minute + 30*time.Second)
		if calls := f.backend.count(); calls != 11 {
			t.Errorf("%d attempts in ten and a half minutes, want one each minute", calls)
		}
		f.stop(t)
	})
}

func TestEndpointIsProbed(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status = 401
		f.start(t)
		f.accept(t, 5, "s")
		time.Sleep(5*time.Minute + 15*time.Second)
		if calls := f.backend.count(); calls != 11 {
			t.Errorf("%d attempts in five minutes, want one each 30 s", calls)
		}
		f.backend.set(func(b *fakeBackend) { b.status = 200 })
		time.Sleep(30 * time.Second)
		if got := f.stream.snapshot(); got.Delivered != 5 || got.Rejected != 0 {
			t.Errorf("%+v", got)
		}
		f.stop(t)
	})
}

func TestEndpointIsAskedAtOnceWithAnotherToken(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status = 403
		f.start(t)
		f.accept(t, 5, "s")
		time.Sleep(5 * time.Second)
		f.backend.set(func(b *fakeBackend) { b.status = 200 })
		close(f.renewed)
		time.Sleep(time.Second)
		if got := f.stream.snapshot(); got.Delivered != 5 {
			t.Errorf("one second after the token was renewed: %+v", got)
		}
		f.stop(t)
	})
}

func TestRefusalOfAnOldTokenDoesNotCount(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status, f.backend.expired = 200, 1
		f.start(t)
		f.accept(t, 5, "s")
		time.Sleep(time.Second)
		if got := f.stream.snapshot(); got.Delivered != 5 || got.LastError != nil || got.State != stateIdle {
			t.Errorf("%+v", got)
		}
		if calls := f.backend.count(); calls != 2 {
			t.Errorf("%d attempts, want one with the old and one with the new token", calls)
		}
		f.stop(t)
	})
}

func TestBudgetOfTheStop(t *testing.T) {
	for name, spoil := range map[string]func(f *fixture){
		"backend hangs":    func(f *fixture) { f.backend.set(func(b *fakeBackend) { b.hang = true }) },
		"backend is away":  func(f *fixture) { f.backend.set(func(b *fakeBackend) { b.status = 503 }) },
		"token is refused": func(f *fixture) { f.backend.set(func(b *fakeBackend) { b.status = 401 }) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, f *fixture) {
				spoil(f)
				f.start(t)
				f.accept(t, 7, "s")
				time.Sleep(time.Minute)
				began := time.Now()
				close(f.told)
				time.Sleep(5 * time.Second)
				f.stop(t)
				if took := time.Since(began); took < 19*time.Second || took > 21*time.Second {
					t.Errorf("the stop took %v from the signal on, want the budget of 20 s", took)
				}
				if got := f.record(t); got.Undelivered != 7 || got.Position.Offset != 0 {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// Nobody calls Shutdown, because a receiver before this component hangs.
func TestLastWordWithoutShutdown(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.set(func(b *fakeBackend) { b.status = 503 })
		f.start(t)
		f.accept(t, 7, "s")
		close(f.told)
		time.Sleep(10 * time.Second)
		f.accept(t, 1, "s")
		time.Sleep(12 * time.Second)
		if got := f.record(t); got.Accepted != 8 || got.Undelivered != 8 {
			t.Errorf("%+v", got)
		}
		if err := f.stream.accept(spansOf("late")); err == nil {
			t.Error("a producer was answered after the last word")
		}
		f.stop(t)
	})
}

func TestDiskThatHangs(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.start(t)
		first := f.accept(t, 1, "s")
		hang := make(chan struct{})
		f.disk.set(func(d *memDisk) { d.hang = hang })
		began := time.Now()
		var all []string
		for range 10 {
			all = append(all, f.accept(t, 2, "s")...)
		}
		if took := time.Since(began); took != patience {
			t.Errorf("producers waited %v, want %v once", took, patience)
		}
		time.Sleep(time.Second)
		has(t, "the backend", f.backend.seen(), append(first, all...))
		close(hang)
		f.disk.set(func(d *memDisk) { d.hang = nil })
		time.Sleep(time.Second)
		names, _ := f.inFile(t)
		has(t, "the file", names, all)
		f.stop(t)
		if got := f.record(t); got.Delivered != 21 || got.Unwritten != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestDiskThatHangsForGood(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.start(t)
		hang := make(chan struct{})
		f.disk.set(func(d *memDisk) { d.hang = hang })
		all := f.accept(t, 2, "s")
		began := time.Now()
		f.stop(t)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the stop waited %v for the disk", took)
		}
		has(t, "the backend", f.backend.seen(), all)
		close(hang)
	})
}

func TestFailedSyncIsWrittenAgain(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.start(t)
		all := f.accept(t, 2, "s")
		f.disk.set(func(d *memDisk) { d.syncErr = syscall.EIO })
		time.Sleep(7 * time.Second)
		f.disk.healthy()
		time.Sleep(20 * time.Second)
		names, bad := f.inFile(t)
		if bad == 0 {
			t.Error("the disk of this test lost nothing")
		}
		has(t, "the file", names, all)
		f.stop(t)
		if got := f.record(t); got.Delivered != 2 || got.Accepted != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// An outage with far more data than memory costs neither: it is read back from the file.
func TestOutageBeyondTheCache(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.cfg.CacheSize = 1 << 20
		f.backend.status = 503
		f.start(t)
		var all []string
		for range 3000 {
			all = append(all, f.accept(t, 20, "s")...)
			if held := f.engine.memory.Load(); held > int64(f.cfg.CacheSize)+1<<17 {
				t.Fatalf("%d bytes are held", held)
			}
		}
		f.backend.set(func(b *fakeBackend) { b.status = 200 })
		time.Sleep(2 * time.Minute)
		last := f.accept(t, 1, "s")
		f.stop(t)
		has(t, "the backend", f.backend.seen(), append(all, last...))
		if got := f.record(t); got.Delivered != 60001 || got.Lost != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// Disk and backend are away together, and memory is full: the only way to lose something, and it is counted.
func TestLoss(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.cfg.CacheSize = 1 << 20
		f.backend.status = 503
		f.disk.writeErr = syscall.ENOSPC
		f.start(t)
		for range 3000 {
			f.accept(t, 20, "s")
		}
		f.backend.set(func(b *fakeBackend) { b.status = 200 })
		f.disk.healthy()
		time.Sleep(2 * time.Minute)
		f.stop(t)
		got := f.record(t)
		if got.Accepted != 60000 || got.Lost == 0 || got.Delivered == 0 || got.Undelivered != 0 || got.Delivered != int64(len(f.backend.seen())) {
			t.Errorf("%+v, the backend has %d", got, len(f.backend.seen()))
		}
	})
}

func TestPoison(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status = 503
		f.start(t)
		good := f.accept(t, 10, "good")
		f.accept(t, 50, "bad")
		good = append(good, f.accept(t, 10, "good")...)
		f.backend.set(func(b *fakeBackend) { b.status, b.poison = 200, "bad" })
		time.Sleep(time.Minute)
		f.stop(t)
		has(t, "the backend", f.backend.seen(), good)
		if got := f.record(t); got.Rejected != 50 || got.Delivered != 20 {
			t.Errorf("%+v", got)
		}
	})
}

// 400 for everything is not the data's fault.
func TestEverythingIsRefusedAsData(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status = 400
		f.start(t)
		f.accept(t, 100, "s")
		f.accept(t, 100, "s")
		time.Sleep(5 * time.Minute)
		f.stop(t)
		if got := f.record(t); got.Rejected != 0 || got.Undelivered != 200 {
			t.Errorf("%+v", got)
		}
		if f.backend.count() > 800 {
			t.Errorf("%d requests", f.backend.count())
		}
	})
}

func TestTooLargeForTheBackend(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.backend.status = 503
		f.backend.maxItems = 7
		f.start(t)
		all := append(f.accept(t, 100, "s"), f.accept(t, 3, "s")...)
		f.backend.set(func(b *fakeBackend) { b.status = 200 })
		time.Sleep(time.Minute)
		f.stop(t)
		has(t, "the backend", f.backend.seen(), all)
		if got := f.record(t); got.Delivered != 103 {
			t.Errorf("%+v", got)
		}
	})
}

func TestFence(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.start(t)
		f.accept(t, 2, "s")
		time.Sleep(6 * time.Second)
		file, err := delivery.Load(f.cfg.Directory)
		if err != nil {
			t.Fatal(err)
		}
		file.Owner.ID, file.Owner.Generation = "other", file.Owner.Generation+1
		if err := file.Save(f.cfg.Directory); err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second)
		before := len(f.disk.content(f.stream.path))
		if err := f.stream.accept(spansOf("late")); !errors.Is(err, errFenced) {
			t.Errorf("a producer was told %v, and nobody has its span", err)
		}
		time.Sleep(time.Minute)
		if len(f.disk.content(f.stream.path)) != before || len(f.backend.seen()) != 2 {
			t.Error("an overtaken collector still writes or sends")
		}
		f.stop(t)
		if file, err = delivery.Load(f.cfg.Directory); err != nil || file.Owner.ID != "other" {
			t.Errorf("the record belongs to %+v, %v", file.Owner, err)
		}
	})
}

// The former collector of the directory still appends until it sees that it was followed.
func TestLinesOfAnotherCollector(t *testing.T) {
	for name, away := range map[string]bool{"the backend takes all": false, "the backend is away": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, f *fixture) {
				if away {
					f.backend.status = 503
				}
				f.start(t)
				all := f.accept(t, 2, "s")
				time.Sleep(time.Second)
				for i := range 3 {
					line, err := otlpfile.Marshal(spansOf(fmt.Sprintf("other%d", i)))
					if err != nil {
						t.Fatal(err)
					}
					other, err := f.disk.open(f.stream.path)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := other.Write(line); err != nil {
						t.Fatal(err)
					}
					all = append(append(all, f.accept(t, 2, "s")...), fmt.Sprintf("other%d", i))
				}
				time.Sleep(10 * time.Second)
				f.backend.set(func(b *fakeBackend) { b.status = 200 })
				time.Sleep(time.Minute)
				has(t, "the backend", f.backend.seen(), all)
				f.stop(t)
				if got := f.record(t); got.Accepted != 11 || got.Delivered != 11 || got.Position.Offset != int64(len(f.disk.content(f.stream.path))) {
					t.Errorf("%+v, want all of the file delivered", got)
				}
				// The position is where a line ends: nothing is sent again.
				f.start(t)
				time.Sleep(time.Minute)
				for name, times := range f.backend.seen() {
					if times != 1 {
						t.Errorf("%s was sent %d times", name, times)
					}
				}
				f.stop(t)
			})
		})
	}
}

func TestLongBatchesBecomeSeveralLines(t *testing.T) {
	bubble(t, func(t *testing.T, f *fixture) {
		f.cfg.MaxLine = 1 << 10
		f.start(t)
		all := f.accept(t, 200, "s")
		f.stop(t)
		names, bad := f.inFile(t)
		has(t, "the file", names, all)
		has(t, "the backend", f.backend.seen(), all)
		if got := f.record(t); got.Delivered != 200 || bad != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// A file that cannot be opened yet keeps new batches from nothing, and what it holds is sent later.
func TestFileOpenedLate(t *testing.T) {
	for name, err := range map[string]error{"then it opens": nil, "then it fails for a while": syscall.ESTALE} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, f *fixture) {
				f.backend.status = 503
				f.start(t)
				all := f.accept(t, 5, "s")
				f.stop(t)
				f.backend.set(func(b *fakeBackend) { b.status = 200 })
				hang := make(chan struct{})
				f.disk.set(func(d *memDisk) { d.hang, d.openErr = hang, err })
				f.start(t)
				late := f.accept(t, 3, "s")
				time.Sleep(5 * time.Second)
				has(t, "the backend", f.backend.seen(), late)
				close(hang)
				f.disk.set(func(d *memDisk) { d.hang = nil })
				time.Sleep(10 * time.Second)
				f.disk.set(func(d *memDisk) { d.openErr = nil })
				time.Sleep(time.Minute)
				f.stop(t)
				all = append(all, late...)
				names, _ := f.inFile(t)
				has(t, "the file", names, all)
				has(t, "the backend", f.backend.seen(), all)
				if got := f.record(t); got.Accepted != 8 || got.Delivered != 8 || got.Position.Delivered != 8 {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}
