// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package joblog

import (
	"bytes"
	"context"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// lineFromEnd is where the last n lines of a log begin, whatever its size. A line break at the
// very end ends the last line and begins none.
func lineFromEnd(ctx context.Context, h host.Host, path string, size int64, n int) (int64, error) {
	if n <= 0 {
		return size, nil
	}
	const block = 1 << 16
	for end := size; end > 0; {
		begin := max(0, end-block)
		part, err := h.ReadAt(ctx, path, begin, int(end-begin))
		if err != nil {
			return 0, err
		}
		if end == size {
			part = bytes.TrimSuffix(part, []byte("\n"))
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

// end returns the last bytes of a file, as much as a job may say after its driver ended.
func end(ctx context.Context, h host.Host, path string) []byte {
	const enough = 1 << 16
	data, err := h.ReadEnd(ctx, path, enough)
	if err != nil {
		return nil
	}
	return data
}
