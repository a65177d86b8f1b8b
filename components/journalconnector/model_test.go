// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
)

// TestModel runs random sequences of what may happen to a journal and compares what producers were answered with
// what file, backend and delivery.json have in the end. GYM_SEQUENCES says how many; a failure names its seed,
// which GYM_SEED repeats.
func TestModel(t *testing.T) {
	sequences := 300
	if n, err := strconv.Atoi(os.Getenv("GYM_SEQUENCES")); err == nil {
		sequences = n
	}
	first, err := strconv.ParseUint(os.Getenv("GYM_SEED"), 10, 64)
	if err == nil {
		sequences = 1
	} else {
		first = rand.Uint64()
	}
	for i := range uint64(sequences) {
		seed := first + i
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{fixture: newFixture(t), random: rand.New(rand.NewPCG(seed, 1))}
				m.cfg.StatusInterval = 10 * time.Second // fewer real files
				m.run(t)
			})
		})
		if !ok {
			return
		}
	}
}

// model knows what was promised.
type model struct {
	*fixture
	random *rand.Rand

	promised []string  // answered, and on the disk as far as the process knew
	recent   []batchOf // answered, and maybe not synced yet
	loose    []string  // answered while the disk was in trouble: in memory alone
	poisoned int
	deaths   int // of processes; afterwards something may be sent twice
	troubled bool
}

type batchOf struct {
	at    time.Time
	names []string
}

func (m *model) run(t *testing.T) {
	if m.random.IntN(2) == 0 {
		m.cfg.CacheSize = 1 << 20 // and lines are long enough to fill it
	}
	m.backend.poison = "bad"
	m.start(t)
	for range 10 + m.random.IntN(40) {
		m.step(t)
	}
	m.disk.healthy()
	m.backend.set(func(b *fakeBackend) { b.status, b.retry, b.hang = 200, 0, false })
	time.Sleep(2 * time.Minute) // what hung has come back
	m.stop(t)
	m.check(t)
}

func (m *model) step(t *testing.T) {
	switch m.random.IntN(14) {
	case 0, 1, 2, 3, 4:
		m.produce(t)
	case 5, 6:
		time.Sleep(time.Duration(m.random.IntN(15000)) * time.Millisecond)
	case 7:
		m.backend.set(func(b *fakeBackend) {
			b.status = []int{503, 500, 429, 401, 404, 408}[m.random.IntN(6)]
			b.retry = time.Duration(m.random.IntN(3)) * 40 * time.Second
		})
	case 8, 9:
		m.backend.set(func(b *fakeBackend) { b.status, b.retry = 200, 0 })
	case 10:
		m.trouble()
	case 11:
		m.heal()
	case 12:
		m.die(t, m.random.IntN(2) == 0)
	case 13:
		m.stop(t)
		m.deaths++
		m.start(t)
	}
}

func (m *model) produce(t *testing.T) {
	if m.random.IntN(12) == 0 {
		m.poisoned += len(m.accept(t, 1+m.random.IntN(3), "bad"))
		return
	}
	n := 1 + m.random.IntN(30)
	if m.random.IntN(3) == 0 {
		n *= 50
	}
	names := m.accept(t, n, "s")
	if m.troubled {
		m.loose = append(m.loose, names...)
		return
	}
	m.recent = append(m.recent, batchOf{time.Now(), names})
}

func (m *model) trouble() {
	m.troubled = true
	m.disk.set(func(d *memDisk) {
		d.writeErr, d.syncErr = nil, nil
		if m.random.IntN(3) == 0 {
			d.syncErr = diskErrors[m.random.IntN(len(diskErrors))]
			return
		}
		d.writeErr = diskErrors[m.random.IntN(len(diskErrors))]
		d.short = m.random.IntN(100)
	})
	// What waits for its sync may be taken by the failing one, and lives in memory alone from then on.
	for _, b := range m.recent {
		m.loose = append(m.loose, b.names...)
	}
	m.recent = nil
}

func (m *model) heal() {
	m.disk.healthy()
	time.Sleep(15 * time.Second) // it is tried each 5 s, and synced 5 s later
	m.troubled = false
	// Memory had room for all of it, or it was counted as lost.
	if counts := m.stream.snapshot(); counts.Lost == 0 && m.deaths == 0 {
		m.promised = append(m.promised, m.loose...)
		m.loose = nil
	}
}

// die ends the process without a word. A killed process leaves all it wrote, a dead node what was synced, and maybe
// some more.
func (m *model) die(t *testing.T, node bool) {
	old, dir := m.engine, m.cfg.Directory
	stream := m.stream
	next := t.TempDir()
	if content, err := os.ReadFile(dir + "/" + delivery.FileName); err == nil {
		if err := os.WriteFile(next+"/"+delivery.FileName, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range m.recent {
		if node && time.Since(b.at) <= m.cfg.SyncInterval {
			continue // at most 5 s are lost
		}
		m.promised = append(m.promised, b.names...)
	}
	m.recent, m.loose = nil, nil
	disk := m.disk.after(func(unsynced int) int {
		if node {
			return m.random.IntN(unsynced + 1)
		}
		return unsynced
	})
	// The old process goes on where nobody sees it, until it ends.
	m.behind.Store(newFakeBackend())
	old.giveUp()
	if err := old.leave(stream); err != nil {
		t.Fatal(err)
	}
	cfg := *m.cfg
	cfg.Directory = next
	// The file keeps its path in the new directory.
	moved := newMemDisk()
	for _, c := range disk.files {
		moved.files[next+"/traces.jsonl"] = c
	}
	m.cfg, m.disk, m.troubled = &cfg, moved, false
	m.deaths++
	m.start(t)
}

func (m *model) check(t *testing.T) {
	for _, b := range m.recent {
		m.promised = append(m.promised, b.names...)
	}
	has(t, "the backend", m.backend.seen(), m.promised)
	counts := m.record(t)
	if counts.Undelivered != 0 {
		t.Errorf("%d items are left although everything works: %+v", counts.Undelivered, counts)
	}
	if m.deaths > 0 {
		return
	}
	names, _ := m.inFile(t)
	if counts.Unwritten == 0 {
		has(t, "the file", names, m.promised)
	}
	if int(counts.Rejected) != m.poisoned || counts.Delivered != int64(len(m.backend.seen())) || counts.Accepted != int64(m.n) {
		t.Errorf("%+v: %d items were accepted, %d of them poison, %d are at the backend", counts, m.n, m.poisoned, len(m.backend.seen()))
	}
}
