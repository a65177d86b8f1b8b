// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrLost says that a command was given and nobody knows what became of it.
var ErrLost = errors.New("the connection was lost")

// loop is what a login shell of any kind is asked to run: bash, dash, tcsh, zsh and fish read
// it alike. /bin/sh then takes one request a line; `read` reads byte by byte, so what follows
// the line is left to the request.
const loop = `exec /bin/sh -c 'while IFS= read -r gym_line; do eval "$gym_line"; done'`

// shell is a /bin/sh at the other end of a process's standard streams. Requests may be made
// side by side; the shell answers them one after another. What is printed outside of answers,
// such as a banner, is nobody's.
type shell struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	nonce string // begins every marker, and stands nowhere else
	count int

	writing  sync.Mutex
	out, err answers
	active   atomic.Int64 // when something last moved, in nanoseconds
	dead     chan struct{}
	once     sync.Once
	why      error // why it is dead
	readers  sync.WaitGroup
	exited   chan struct{}
}

// request is a piece of code for the shell, on one line.
type request struct {
	what    string // for messages
	script  string
	payload []byte // its standard input; empty is none
	limit   time.Duration
	stdout  io.Writer
	stderr  tail
	code    atomic.Int32 // both streams tell it
	number  int
	sent    time.Time
	open    atomic.Int32 // streams on which the answer has not ended
	done    chan struct{}
}

// prologue of a session: quote needs a line end to put into texts.
const prologue = `gym_nl=$(printf '\nx'); gym_nl=${gym_nl%x}; `

func startShell(cmd *exec.Cmd) (*shell, error) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	s := &shell{
		cmd: cmd, nonce: fmt.Sprintf("gym-%x", nonce), dead: make(chan struct{}), exited: make(chan struct{}),
	}
	s.out = newAnswers(s.nonce, func(r *request) io.Writer { return r.stdout })
	s.err = newAnswers(s.nonce, func(r *request) io.Writer { return &r.stderr })
	// A Ctrl-C at the terminal is for this program, which ends the connection when it may.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.moved()
	s.readers.Go(func() { s.read(stdout, &s.out) })
	s.readers.Go(func() { s.read(stderr, &s.err) })
	go func() {
		s.readers.Wait()
		err := cmd.Wait()
		said := s.err.stray.String()
		if said == "" {
			said = s.out.stray.String()
		}
		s.fail(&endError{err, said})
		close(s.exited)
	}()
	return s, nil
}

// endError is the end of the process behind a shell.
type endError struct {
	err  error
	said string
}

func (e *endError) Error() string {
	text := "ssh ended"
	if e.err != nil {
		text += " (" + e.err.Error() + ")"
	}
	if e.said != "" {
		text += ": " + e.said
	}
	return text
}

func (s *shell) moved() { s.active.Store(time.Now().UnixNano()) }

// fail ends the shell; what is still unanswered stays so.
func (s *shell) fail(why error) {
	s.once.Do(func() {
		s.why = why
		close(s.dead)
		_ = s.stdin.Close()
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM)
	})
}

// do has one request answered. An error other than ErrLost does not come.
func (s *shell) do(ctx context.Context, r *request) error {
	r.done = make(chan struct{})
	r.open.Store(2)
	r.sent = time.Now()
	go s.send(r)
	for {
		quiet := time.Since(r.sent)
		if since := time.Since(time.Unix(0, s.active.Load())); since < quiet {
			quiet = since
		}
		if quiet >= r.limit {
			s.fail(fmt.Errorf("no answer within %v to: %s", r.limit, r.what))
		}
		select {
		case <-r.done:
			return nil
		case <-s.dead:
			return s.lost(r)
		case <-ctx.Done():
			s.fail(fmt.Errorf("%s was interrupted", r.what))
		case <-time.After(r.limit - quiet):
		}
	}
}

// lost prefers an answer that came with the end.
func (s *shell) lost(r *request) error {
	select {
	case <-r.done:
		return nil
	default:
		return fmt.Errorf("%w: %w", ErrLost, s.why)
	}
}

// send writes a request. One with a payload has the line to itself until it is answered: a
// program that reads more of it than it should then finds nothing that is another's.
func (s *shell) send(r *request) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.count++
	r.number = s.count
	input := "</dev/null"
	if len(r.payload) > 0 {
		input = ""
	}
	for _, a := range []*answers{&s.out, &s.err} {
		select {
		case a.expected <- r:
		case <-s.dead:
			return
		}
	}
	begin, end := marker(s.nonce, 'B', r.number), marker(s.nonce, 'E', r.number)
	line := fmt.Sprintf(`printf '\n%%s\n' %[1]s; printf '\n%%s\n' %[1]s >&2; ( %[2]s ) %[3]s; gym_rc=$?; printf '\n%%s %%s\n' %[4]s $gym_rc; printf '\n%%s %%s\n' %[4]s $gym_rc >&2`+"\n",
		begin, r.script, input, end)
	if s.write([]byte(line)) && len(r.payload) > 0 && s.write(r.payload) {
		select {
		case <-r.done:
		case <-s.dead:
		}
	}
}

func (s *shell) write(data []byte) bool {
	const piece = 1 << 16
	for len(data) > 0 {
		n, err := s.stdin.Write(data[:min(piece, len(data))])
		if err != nil {
			return false // the readers see the end too, and know more of it
		}
		s.moved()
		data = data[n:]
	}
	return true
}

// read takes the answers on one of the streams apart, until it ends.
func (s *shell) read(from io.Reader, a *answers) {
	const longest = 1 << 16
	in := bufio.NewReaderSize(from, longest)
	for {
		piece, err := in.ReadSlice('\n')
		s.moved()
		if len(piece) > 0 {
			a.take(piece)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// close ends the shell in order: it sees the end of its input.
func (s *shell) close() {
	const enough = 2 * time.Second
	_ = s.stdin.Close()
	select {
	case <-s.exited:
	case <-time.After(enough):
		s.fail(errors.New("closed"))
		select {
		case <-s.exited:
		case <-time.After(enough):
			_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		}
	}
}
