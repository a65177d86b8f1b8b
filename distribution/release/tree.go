// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is one file of a tree: its content is in memory, in a file, or a link's target.
type entry struct {
	mode   fs.FileMode
	data   []byte
	source string
	link   string
}

// tree is a directory that does not exist yet, by slash-separated path.
type tree map[string]entry

func (t tree) add(name string, data []byte) {
	t[name] = entry{mode: 0o644, data: data}
}

func (t tree) addFile(name string, mode fs.FileMode, source string) {
	t[name] = entry{mode: mode, source: source}
}

func (t tree) addLink(name, target string) {
	t[name] = entry{mode: fs.ModeSymlink | 0o777, link: target}
}

func (t tree) addDir(name string, mode fs.FileMode) { t[name] = entry{mode: fs.ModeDir | mode} }

// addMatching adds the files that a pattern finds, into a directory of the tree.
func (t tree) addMatching(dir, pattern string) error {
	files, err := filepath.Glob(pattern)
	for _, file := range files {
		t.addFile(path.Join(dir, filepath.Base(file)), 0o644, file)
	}
	return err
}

func (t tree) names() []string { return slices.Sorted(maps.Keys(t)) }

// open is the content of a regular file and its size.
func (e entry) open() (io.ReadCloser, int64, error) {
	if e.source == "" {
		return io.NopCloser(bytes.NewReader(e.data)), int64(len(e.data)), nil
	}
	file, err := os.Open(e.source)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// sums is the text of a SHA256SUMS over the regular files but those left out.
func (t tree) sums(except ...string) ([]byte, error) {
	var out bytes.Buffer
	for _, name := range t.names() {
		e := t[name]
		if !e.mode.IsRegular() || slices.Contains(except, name) {
			continue
		}
		content, _, err := e.open()
		if err != nil {
			return nil, err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, content)
		_ = content.Close()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%x  %s\n", hash.Sum(nil), name)
	}
	return out.Bytes(), nil
}

// tar writes everything below a top directory, which may be empty, with the directories that
// lead there.
func (t tree) tar(w io.Writer, top string, when time.Time) error {
	out := tar.NewWriter(w)
	for _, name := range t.withParents(top) {
		header := &tar.Header{Name: name, ModTime: when, Format: tar.FormatPAX, Mode: 0o755, Typeflag: tar.TypeDir}
		e, ok := t[strings.TrimPrefix(strings.TrimPrefix(name, top), "/")]
		if ok {
			header.Mode = int64(e.mode.Perm())
			if e.mode&fs.ModeSticky != 0 {
				header.Mode |= 0o1000
			}
		}
		if err := e.into(out, header, ok); err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
	}
	return out.Close()
}

func (e entry) into(out *tar.Writer, header *tar.Header, known bool) error {
	switch {
	case !known || e.mode.IsDir():
		header.Name += "/"
		return out.WriteHeader(header)
	case e.link != "":
		header.Typeflag, header.Linkname = tar.TypeSymlink, e.link
		return out.WriteHeader(header)
	}
	content, size, err := e.open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	header.Typeflag, header.Size = tar.TypeReg, size
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return err
}

// withParents are all names below top, parents first.
func (t tree) withParents(top string) []string {
	all := map[string]bool{}
	for name := range t {
		for full := path.Join(top, name); full != "."; full = path.Dir(full) {
			all[full] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// writeTarGz writes the tree as a compressed tarball.
func (t tree) writeTarGz(file, top string, when time.Time) error {
	return writeFile(file, func(w io.Writer) error {
		compressed := gzip.NewWriter(w)
		if err := t.tar(compressed, top, when); err != nil {
			return err
		}
		return compressed.Close()
	})
}

// writeDir writes the tree as a directory, in place of one of a former build.
func (t tree) writeDir(dir string, when time.Time) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, name := range t.names() {
		e, full := t[name], filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		err := writeFile(full, func(w io.Writer) error {
			content, _, err := e.open()
			if err != nil {
				return err
			}
			defer func() { _ = content.Close() }()
			_, err = io.Copy(w, content)
			return err
		})
		if err != nil {
			return err
		}
		if err := os.Chmod(full, e.mode.Perm()); err != nil {
			return err
		}
		if err := os.Chtimes(full, when, when); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file under another name and renames it when it is whole.
func writeFile(file string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return os.Rename(f.Name(), file)
}
