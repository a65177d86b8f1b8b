// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// A lock is one's alone until it is given back, from here and over ssh.
func TestLock(t *testing.T) {
	before := lockPatience
	lockPatience = time.Second
	t.Cleanup(func() { lockPatience = before })
	r := double(t, `exec /bin/sh -c "$last"`)
	for name, pair := range map[string][2]Host{
		"here":         {Local{}, Local{}},
		"there":        {r, &Remote{name: "far"}},
		"here, there":  {Local{}, r},
		"there, here":  {r, Local{}},
		"one and same": {r, r},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a lock")
			unlock, err := pair[0].Lock(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pair[1].Lock(t.Context(), path); !errors.Is(err, ErrLocked) {
				t.Errorf("while it is held: %v", err)
			}
			unlock()
			again, err := pair[1].Lock(t.Context(), path)
			if err != nil {
				t.Fatalf("afterwards: %v", err)
			}
			again()
			if other, ok := pair[1].(*Remote); ok && other != r {
				other.Close()
			}
		})
	}
}

// Who is gone holds nothing.
func TestLockOfALostConnection(t *testing.T) {
	r := double(t, `exec /bin/sh -c "$last"`)
	path := filepath.Join(t.TempDir(), "lock")
	if _, err := r.Lock(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	r.Close()
	unlock, err := Local{}.Lock(t.Context(), path) // waits
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestLockThatCannotBe(t *testing.T) {
	r := double(t, `exec /bin/sh -c "$last"`)
	for _, h := range []Host{Local{}, r} {
		if _, err := h.Lock(t.Context(), filepath.Join(t.TempDir(), "nosuch", "lock")); err == nil || errors.Is(err, ErrLocked) {
			t.Errorf("%q locks in a directory that is not there: %v", h.Name(), err)
		}
	}
}
