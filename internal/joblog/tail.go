// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"bytes"
	"io"
	"os"
)

// Tail opens a log at the beginning of its last lines, whatever its size.
func Tail(path string, lines int) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	offset, err := lineFromEnd(f, lines)
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// lineFromEnd is where the last n lines begin. A line break at the very end ends the last
// line and begins none.
func lineFromEnd(f *os.File, n int) (int64, error) {
	info, err := f.Stat()
	if err != nil || n <= 0 {
		return size(info), err
	}
	const block = 1 << 16
	buffer := make([]byte, block)
	for end := info.Size(); end > 0; {
		begin := max(0, end-block)
		part := buffer[:end-begin]
		if _, err := f.ReadAt(part, begin); err != nil && err != io.EOF {
			return 0, err
		}
		if end == info.Size() && part[len(part)-1] == '\n' {
			part = part[:len(part)-1]
		}
		for i := bytes.LastIndexByte(part, '\n'); i >= 0; i = bytes.LastIndexByte(part[:i], '\n') {
			if n--; n == 0 {
				return begin + int64(i) + 1, nil
			}
		}
		end = begin
	}
	return 0, nil
}

func size(info os.FileInfo) int64 {
	if info == nil {
		return 0
	}
	return info.Size()
}

// end returns the last bytes of a file, as much as a job may say after its driver ended.
func end(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	const enough = 1 << 16
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	data := make([]byte, min(info.Size(), enough))
	n, _ := f.ReadAt(data, info.Size()-int64(len(data)))
	return data[:n]
}
