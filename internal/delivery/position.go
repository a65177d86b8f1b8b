// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"fmt"
	"hash/crc32"
	"io"
)

// maxProof is more than any line has.
const maxProof = 64 << 20

// Prove returns an error unless the file has, before the position, the line that was there when the position was
// written.
func (p Position) Prove(file io.ReaderAt, size int64) error {
	if p.Offset == 0 && p.Delivered == 0 && p.Rejected == 0 {
		return nil
	}
	if p.Offset <= 0 || p.Offset > size || p.LineLength <= 0 || p.LineLength > min(p.Offset, maxProof) {
		return fmt.Errorf("position %d of %d bytes, after a line of %d", p.Offset, size, p.LineLength)
	}
	line := make([]byte, p.LineLength)
	if _, err := file.ReadAt(line, p.Offset-p.LineLength); err != nil {
		return err
	}
	if line[len(line)-1] != '\n' || Checksum(line) != p.LineCRC32C {
		return fmt.Errorf("the line before position %d is another one", p.Offset)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum of a line, as LineCRC32C has it.
func Checksum(line []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(line, castagnoli)) }
