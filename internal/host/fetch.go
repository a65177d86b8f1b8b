// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Fetched is what a Fetch found to do.
type Fetched struct {
	Files int   `json:"files"` // brought
	Bytes int64 `json:"bytes"` // in them
	Same  int   `json:"same"`  // were here already
	Newer int   `json:"newer"` // are newer here and stay
}

// Add adds what another one did.
func (f *Fetched) Add(other Fetched) {
	f.Files += other.Files
	f.Bytes += other.Bytes
	f.Same += other.Same
	f.Newer += other.Newer
}

// Fetch brings the regular files below a directory of the machine to one here: those that are not here yet, or are
// newer there. It needs find and tar of GNU there. Symbolic links are left out: they may lead anywhere.
func (r *Remote) Fetch(ctx context.Context, dir, to string) (Fetched, error) {
	list, err := r.ask(ctx, "list "+dir, readable(dir)+"cd "+quote(dir)+` && find . -type f -printf '%s %T@ %P\0'`, nil)
	if err != nil {
		return Fetched{}, err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return Fetched{}, err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return Fetched{}, err
	}
	defer func() { _ = root.Close() }()
	names, f := wanted(root, string(list))
	if len(names) == 0 {
		return f, nil
	}
	payload := []byte(strings.Join(names, "\x00") + "\x00")
	// A file that grows meanwhile makes tar end with 1.
	script := fmt.Sprintf("%scd %s && head -c %d | tar --create --gzip --format=pax --no-recursion --null --files-from=- --file=- || [ $? -eq 1 ]",
		prologue, quote(dir), len(payload))
	packed, write := io.Pipe()
	unpacked := make(chan error, 1)
	go func() {
		total, err := unpack(root, packed)
		f.Bytes = total
		_ = packed.CloseWithError(err)
		unpacked <- err
	}()
	err = r.stream(ctx, "read "+dir, script, payload, write)
	_ = write.CloseWithError(err)
	return f, errors.Join(err, <-unpacked)
}

// wanted reads lines of SIZE SECONDS NAME that end in NUL.
func wanted(root *os.Root, list string) (names []string, f Fetched) {
	for line := range strings.SplitSeq(list, "\x00") {
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 || !filepath.IsLocal(words[2]) {
			continue
		}
		size, _ := strconv.ParseInt(words[0], 10, 64)
		whole, _, _ := strings.Cut(words[1], ".")
		seconds, _ := strconv.ParseInt(whole, 10, 64)
		have, err := root.Stat(words[2])
		switch {
		case err == nil && have.ModTime().Unix() > seconds:
			f.Newer++
		case err == nil && have.ModTime().Unix() == seconds && have.Size() == size:
			f.Same++
		default:
			names = append(names, words[2])
		}
	}
	f.Files = len(names)
	return names, f
}

// unpack writes each file under another name and renames it when it is whole.
func unpack(root *os.Root, packed io.Reader) (total int64, err error) {
	plain, err := gzip.NewReader(packed)
	if err != nil {
		return 0, fmt.Errorf("unpack what came: %w", err)
	}
	in := tar.NewReader(plain)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, packed) // the end of the stream, so that nobody waits for a reader
			return total, err
		}
		if err != nil {
			return total, fmt.Errorf("unpack what came: %w", err)
		}
		if header.Typeflag != tar.TypeReg || !filepath.IsLocal(header.Name) {
			continue
		}
		n, err := place(root, header, in)
		total += n
		if err != nil {
			return total, err
		}
	}
}

func place(root *os.Root, header *tar.Header, content io.Reader) (int64, error) {
	name := path.Clean(header.Name)
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return 0, err
	}
	beside := path.Join(path.Dir(name), "."+path.Base(name)+".fetching")
	file, err := root.OpenFile(beside, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, header.FileInfo().Mode().Perm()&0o700|0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(file, content)
	err = errors.Join(err, file.Close(), root.Chtimes(beside, time.Time{}, header.ModTime))
	if err == nil {
		err = root.Rename(beside, name)
	}
	if err != nil {
		_ = root.Remove(beside)
	}
	return n, err
}

// FetchFile brings one file of moderate size.
func (r *Remote) FetchFile(ctx context.Context, file, to string) error {
	data, err := ReadFile(ctx, r, file)
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(to); err == nil && bytes.Equal(have, data) {
		return nil
	}
	return Local{}.Write(ctx, to, data, fs.FileMode(0o600))
}
