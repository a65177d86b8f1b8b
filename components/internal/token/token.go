// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package token is the bearer token in a file that somebody renews while the collector runs. Everybody who names
// the file shares one value of it.
package token // import "github.com/gym-otelcol/gym-otelcol/components/internal/token"

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/components/internal/answer"
	"github.com/gym-otelcol/gym-otelcol/internal/tokenfile"
)

// settling is how long a new content has to stay the same to be believed.
const settling = 200 * time.Millisecond

// interval is how often the file is read. Tests shorten it.
var interval = time.Minute

// File is one token file.
type File struct {
	path    string
	reading sync.Mutex // one reads at a time, and a file system that hangs holds up nobody else

	mu        sync.Mutex
	log       *zap.Logger
	current   string
	complaint string // what is wrong with the file now
	users     int
	done      chan struct{} // closed when the last user leaves
}

var files sync.Map // of *File, by path

// At returns the token file of a path.
func At(path string) *File {
	file, _ := files.LoadOrStore(path, &File{path: path, log: zap.NewNop()})
	return file.(*File)
}

// Open reads the file for one more user, who calls Close in the end. Without a token nobody starts. After the last
// Close the file can still be used; only nobody looks into it each minute.
func (f *File) Open(log *zap.Logger) error {
	token, err := tokenfile.Read(f.path)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current == "" {
		f.current = token
	}
	if f.users++; f.users == 1 {
		f.log, f.done = log, make(chan struct{})
		go f.watch(f.done, interval)
	}
	return nil
}

// Close ends one use.
func (f *File) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users == 0 {
		close(f.done)
	}
}

func (f *File) watch(done <-chan struct{}, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.read()
		case <-done:
			return
		}
	}
}

// For returns the token of the request that a context belongs to: whoever has a part in one request gets the same.
func (f *File) For(ctx context.Context) string {
	a := answer.From(ctx)
	if a.Token == "" {
		a.Token = f.get()
	}
	return a.Token
}

func (f *File) get() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current
}

// Renewed reads the file and reports whether it has another token than the one that was refused.
func (f *File) Renewed(refused string) bool {
	f.read()
	return f.get() != refused
}

// read takes over what the file holds. A file that is of no use changes nothing.
func (f *File) read() {
	f.reading.Lock()
	defer f.reading.Unlock()
	token, err := tokenfile.Read(f.path)
	if err == nil && token != f.get() {
		// Somebody may be in the middle of writing it.
		time.Sleep(settling)
		var again string
		if again, err = tokenfile.Read(f.path); err == nil && again != token {
			err = errors.New("token file " + f.path + ": changed while it was read")
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		if f.complaint != err.Error() {
			f.log.Warn("the token file is of no use; the last good token stays", zap.Error(err))
		}
		f.complaint = err.Error()
		return
	}
	if f.complaint != "" {
		f.log.Info("the token file is good again", zap.String("path", f.path))
	}
	f.complaint = ""
	if token != f.current {
		f.current = token
		f.log.Info("the token was renewed", zap.String("path", f.path))
		changed.announce()
	}
}

// changed tells everybody who waits that some token file has another token.
var changed = broadcast{c: make(chan struct{})}

type broadcast struct {
	mu sync.Mutex
	c  chan struct{}
}

func (b *broadcast) announce() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.c)
	b.c = make(chan struct{})
}

// Changed returns a channel that is closed when a token is renewed.
func Changed() <-chan struct{} {
	changed.mu.Lock()
	defer changed.mu.Unlock()
	return changed.c
}
