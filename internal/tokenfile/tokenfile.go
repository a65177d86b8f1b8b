// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package tokenfile reads a bearer token from a file, and knows which texts can be one. No error shows any of it.
package tokenfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// MaxToken is the longest token: what a pipe takes in any case without a reader.
const MaxToken = 4096

// maxFile leaves room for the end of the line.
const maxFile = MaxToken + 2

// Read returns the token that a file holds, in one line whose end may be missing. Everything is checked on the
// opened file, so that nobody can swap it meanwhile.
func Read(path string) (string, error) {
	token, err := read(path)
	if err != nil {
		return "", fmt.Errorf("token file %s: %w", path, err)
	}
	return token, nil
}

func read(path string) (string, error) {
	// A pipe in the file's place must not make anyone wait.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return "", errors.New("is a symbolic link, which others may turn around: name the file itself")
	case errors.Is(err, fs.ErrNotExist):
		return "", errMissing
	case err != nil:
		return "", fmt.Errorf("cannot be opened: %w", errors.Unwrap(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	before, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("cannot be looked at: %w", errors.Unwrap(err))
	}
	if err := check(before); err != nil {
		return "", err
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	after, err := file.Stat()
	if err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return "", errors.New("changed while it was read")
	}
	token := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	if strings.TrimSpace(token) == "" {
		return "", errors.New("is blank: write the token into it")
	}
	if complaint := Complaint(token); complaint != "" {
		return "", errors.New("the token in it " + complaint)
	}
	return token, nil
}

var errMissing = missing{errors.New("is not there: write the token into it and keep it readable for you alone (chmod 600)")}

type missing struct{ error }

func (missing) Is(target error) bool { return target == fs.ErrNotExist }

// check refuses a file that another user may read or may have written.
func check(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("is no regular file")
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to the user with id %d, and this program runs as %d: use a file of your own", owner.Uid, os.Geteuid())
	}
	const readWrite = 0o600
	if mode := info.Mode().Perm(); mode&^readWrite != 0 {
		return fmt.Errorf("has mode %04o, which lets more than its owner's reading and writing pass: chmod 600 it", mode)
	}
	if info.Size() > maxFile {
		return fmt.Errorf("has %d bytes, and a token at most %d", info.Size(), MaxToken)
	}
	return nil
}

// Complaint says why a text cannot be a token, or nothing.
func Complaint(token string) string {
	for _, r := range token {
		switch {
		case r < ' ' || r == 0x7f:
			return "holds a line end or another control character, which no HTTP header can carry"
		case r > 0x7f:
			return "holds a character that is not ASCII, which no HTTP header can carry"
		}
	}
	switch {
	case strings.Trim(token, " ") != token:
		return "begins or ends with a blank, which an HTTP header would lose"
	case len(token) > MaxToken:
		return fmt.Sprintf("has more than %d characters, which no HTTP server takes", MaxToken)
	}
	return ""
}
