// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Remote is a machine behind ssh. One connection serves everything; it is made when it is
// first needed, and again after it was lost.
type Remote struct {
	name string

	mu      sync.Mutex
	conn    *connection
	refused error // why the last attempt failed
	tried   time.Time
}

// Name is what the user calls it.
func (r *Remote) Name() string { return r.name }

// Node is what the machine calls itself.
func (r *Remote) Node(ctx context.Context) (string, error) {
	c, err := r.connected(ctx)
	if err != nil {
		return "", err
	}
	return c.node, nil
}

// connected is the connection. Callers that come while a machine cannot be reached share one
// attempt: each would have to wait as long.
func (r *Remote) connected(ctx context.Context) (*connection, error) {
	const goodFor = 5 * time.Second
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		select {
		case <-r.conn.dead:
			r.conn.close()
			r.conn = nil
		default:
			return r.conn, nil
		}
	}
	if r.refused != nil && time.Since(r.tried) < goodFor {
		return nil, r.refused
	}
	r.conn, r.refused = connect(ctx, r.name)
	r.tried = time.Now()
	return r.conn, r.refused
}

// Close ends the connection.
func (r *Remote) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		r.conn.close()
		r.conn = nil
	}
}

// Codes by which scripts of this package say what was in the way.
const (
	codeMissing  = 44
	codeExists   = 45
	codeNoAccess = 46
	codeLocked   = 47
)

// ask has a script answered; what names it for messages.
func (r *Remote) ask(ctx context.Context, what, script string, payload []byte) ([]byte, error) {
	var out bytes.Buffer
	err := r.stream(ctx, what, script, payload, &out)
	return out.Bytes(), err
}

func (r *Remote) stream(ctx context.Context, what, script string, payload []byte, out io.Writer) error {
	c, err := r.connected(ctx)
	if err != nil {
		return err
	}
	q := &request{what: what, script: script, payload: payload, limit: Patience, stdout: out}
	if err := c.do(ctx, q); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	switch int(q.code.Load()) {
	case 0:
		return nil
	case codeMissing:
		return &fs.PathError{Op: what, Path: r.name, Err: fs.ErrNotExist}
	case codeExists:
		return &fs.PathError{Op: what, Path: r.name, Err: fs.ErrExist}
	case codeNoAccess:
		return &fs.PathError{Op: what, Path: r.name, Err: fs.ErrPermission}
	case codeLocked:
		return ErrLocked
	}
	return fmt.Errorf("%s: %s: %s", r.name, what, OneLine(q.stderr.String()))
}

// Run runs a command there.
func (r *Remote) Run(ctx context.Context, c Command) (stdout, stderr string, err error) {
	conn, err := r.connected(ctx)
	if err != nil {
		return "", "", err
	}
	var out bytes.Buffer
	q := &request{what: c.Args[0], script: conn.script(c), limit: c.limit(), stdout: &out}
	if err := conn.do(ctx, q); err != nil {
		return out.String(), q.stderr.String(), fmt.Errorf("%s: %w", r.name, err)
	}
	said, code := q.stderr.String(), int(q.code.Load())
	switch {
	case code == codeNotFound && said == "":
		return "", "", fmt.Errorf("run %s on %s: %w", c.Args[0], r.name, exec.ErrNotFound)
	case code != 0:
		return out.String(), said, &ExitError{c.Args[0], code, said}
	}
	return out.String(), said, nil
}

// codeNotFound is the shell's own.
const codeNotFound = 127

// script sets up the environment with the shell's own means: no argument list ever holds a
// value of it.
func (c *connection) script(cmd Command) string {
	var s strings.Builder
	if cmd.Without != nil {
		for _, name := range c.names {
			if cmd.Without(name) {
				s.WriteString("unset " + name + "; ")
			}
		}
	}
	for _, e := range cmd.Env {
		name, value, _ := strings.Cut(e, "=")
		s.WriteString(prologue + "export " + name + "=" + quote(value) + "; ")
	}
	env := ""
	if cmd.Bare {
		env = "env -i "
	}
	fmt.Fprintf(&s, "%[1]scommand -v %[2]s >/dev/null 2>&1 || exit %[3]d; exec %[4]s%[5]s",
		prologue, quote(cmd.Args[0]), codeNotFound, env, quoteAll(cmd.Args))
	return s.String()
}

// Environ names the variables that a command gets there.
func (r *Remote) Environ(ctx context.Context) ([]string, error) {
	c, err := r.connected(ctx)
	if err != nil {
		return nil, err
	}
	return c.names, nil
}

// Missing looks for everything in one request.
func (r *Remote) Missing(ctx context.Context, paths, programs []string) ([]string, error) {
	if len(paths)+len(programs) == 0 {
		return nil, nil
	}
	var script strings.Builder
	script.WriteString(prologue)
	all := append(append([]string{}, paths...), programs...)
	for i, word := range all {
		test := "[ -e " + quote(word) + " ]"
		if i >= len(paths) {
			test = "command -v " + quote(word) + " >/dev/null 2>&1"
		}
		fmt.Fprintf(&script, "%s || echo %d; ", test, i)
	}
	out, err := r.ask(ctx, "look for files", script.String()+"true", nil)
	if err != nil {
		return nil, err
	}
	var missing []string
	for word := range strings.FieldsSeq(string(out)) {
		if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < len(all) {
			missing = append(missing, all[i])
		}
	}
	return missing, nil
}

// readable is the beginning of scripts that read a file.
func readable(file string) string {
	q := quote(file)
	return fmt.Sprintf("%[1]s[ -e %[2]s ] || exit %[3]d; [ -r %[2]s ] || exit %[4]d; ", prologue, q, codeMissing, codeNoAccess)
}

// List is what is in a directory.
func (r *Remote) List(ctx context.Context, dir string) ([]File, error) {
	out, err := r.ask(ctx, "list "+dir, readable(dir)+"cd "+quote(dir)+` || exit; stat -c '%f %s %Y %n' -- * .[!.]* 2>/dev/null; true`, nil)
	if err != nil {
		return nil, err
	}
	var files []File
	for line := range strings.Lines(string(out)) {
		if f, ok := parseStat(strings.TrimSuffix(line, "\n")); ok {
			files = append(files, f)
		}
	}
	return files, nil
}

// parseStat reads MODE SIZE SECONDS NAME.
func parseStat(line string) (File, bool) {
	const (
		kindMask = 0o170000
		regular  = 0o100000
		folder   = 0o040000
	)
	words := strings.SplitN(line, " ", 4)
	if len(words) < 4 {
		return File{}, false
	}
	bits, err1 := strconv.ParseUint(words[0], 16, 32)
	size, err2 := strconv.ParseInt(words[1], 10, 64)
	seconds, err3 := strconv.ParseInt(words[2], 10, 64)
	if errors.Join(err1, err2, err3) != nil {
		return File{}, false
	}
	mode := fs.FileMode(bits & 0o777)
	switch bits & kindMask {
	case regular:
	case folder:
		mode |= fs.ModeDir
	default:
		mode |= fs.ModeIrregular
	}
	return File{words[3], size, time.Unix(seconds, 0), mode}, true
}

// ReadAt reads a part of a file.
func (r *Remote) ReadAt(ctx context.Context, file string, offset int64, limit int) ([]byte, error) {
	return r.ask(ctx, "read "+file, fmt.Sprintf("%stail -c +%d -- %s | head -c %d", readable(file), offset+1, quote(file), limit), nil)
}

// ReadEnd reads the end of a file.
func (r *Remote) ReadEnd(ctx context.Context, file string, limit int) ([]byte, error) {
	return r.ask(ctx, "read "+file, fmt.Sprintf("%stail -c %d -- %s", readable(file), limit, quote(file)), nil)
}

// Write swaps the content of a file.
func (r *Remote) Write(ctx context.Context, file string, data []byte, mode fs.FileMode) error {
	beside := path.Join(path.Dir(file), "."+path.Base(file)+".new")
	script := fmt.Sprintf("%[1]sumask 077; head -c %[2]d >%[3]s && [ $(wc -c <%[3]s) -eq %[2]d ] && chmod %[4]o %[3]s && mv -f -- %[3]s %[5]s || { rm -f -- %[3]s; exit 1; }",
		prologue, len(data), quote(beside), mode.Perm(), quote(file))
	_, err := r.ask(ctx, "write "+file, script, data)
	return err
}
