// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// answers takes one stream of a shell apart. An answer stands between two markers, each on a
// line of its own; the line end before a marker belongs to the marker, so one is held back
// until it is known what follows.
type answers struct {
	nonce    string
	expected chan *request
	// into is where the answer to a request goes.
	into func(*request) io.Writer
	// stray is what was printed outside of answers.
	stray tail

	current    *request
	begin, end []byte
	begun      bool
	midLine    bool // the last piece had no end
	heldBack   bool
}

func newAnswers(nonce string, into func(*request) io.Writer) answers {
	const atOnce = 512
	return answers{nonce: nonce, expected: make(chan *request, atOnce), into: into}
}

func marker(nonce string, kind byte, number int) string {
	return fmt.Sprintf("%s-%c%d", nonce, kind, number)
}

// take gets a line, or a piece of a very long one.
func (a *answers) take(piece []byte) {
	a.next()
	line := bytes.TrimSuffix(piece, []byte("\n"))
	ended := len(line) < len(piece)
	switch {
	case !a.midLine && !a.begun && a.current != nil && bytes.Equal(line, a.begin):
		a.begun, a.heldBack = true, false
	case !a.midLine && a.begun && bytes.HasPrefix(line, a.end):
		if code, err := strconv.ParseInt(string(line[len(a.end):]), 10, 32); err == nil {
			a.current.code.Store(int32(code))
		}
		if a.current.open.Add(-1) == 0 {
			close(a.current.done)
		}
		a.current, a.begun, a.heldBack = nil, false, false
	default:
		if a.heldBack {
			a.pass([]byte("\n"))
		}
		a.pass(line)
		a.heldBack = ended
	}
	a.midLine = !ended
}

// next looks which request is answered next. It was expected before it was made, so it is
// known by the time its marker comes.
func (a *answers) next() {
	if a.current != nil {
		return
	}
	select {
	case a.current = <-a.expected:
		a.begin = []byte(marker(a.nonce, 'B', a.current.number))
		a.end = []byte(marker(a.nonce, 'E', a.current.number) + " ")
	default:
	}
}

func (a *answers) pass(text []byte) {
	var into io.Writer = &a.stray
	if a.begun {
		into = a.into(a.current)
	}
	_, _ = into.Write(text) // who cannot take it says so at the end
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 1 << 16
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*most {
		t.text = append([]byte{}, t.text[len(t.text)-most:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
