// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// ErrLocked says that somebody else has had a lock for longer than it is waited for.
var ErrLocked = errors.New("another gym-submit is at work on it")

// lockPatience is how long a lock is waited for: the other one makes a few calls of sbatch. It is a variable for the
// tests.
var lockPatience = 20 * time.Second

// Lock waits for the lock on a file, which is created and stays. It ends with this process at the latest.
func (Local) Lock(ctx context.Context, path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	lock := flock.New(path, flock.SetPermissions(0o600))
	_, err = lock.TryLockContext(ctx, 50*time.Millisecond)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, ErrLocked
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK):
		return func() {}, nil // the file system has no locks
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Lock has a process there hold the lock, which ends with the connection's shell at the latest. Without the program
// flock there is none.
func (r *Remote) Lock(ctx context.Context, path string) (unlock func(), err error) {
	script := fmt.Sprintf(`%scommand -v flock >/dev/null 2>&1 || exit 0; umask 077; exec 9>>%s; `+
		`flock -w %d 9; gym_rc=$?; [ $gym_rc -ne 1 ] || exit %d; `+
		`( while kill -0 $$ 2>/dev/null; do sleep 1 9>&-; done ) </dev/null >/dev/null 2>&1 & echo $!`,
		prologue, quote(path), int(lockPatience.Seconds()), codeLocked)
	out, err := r.ask(ctx, "lock "+path, script, nil)
	if err != nil {
		return nil, err
	}
	holder := strings.TrimSpace(string(out))
	return func() {
		if holder != "" {
			_, _ = r.ask(context.WithoutCancel(ctx), "unlock "+path, "kill "+holder, nil)
		}
	}, nil
}

// Lock refuses.
func (Archive) Lock(context.Context, string) (func(), error) { return nil, errArchive }
