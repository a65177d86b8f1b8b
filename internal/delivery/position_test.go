// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"math"
	"strings"
	"testing"
)

func TestProve(t *testing.T) {
	const text = "first\nsecond\ntorn"
	file := strings.NewReader(text)
	good := Position{Offset: 13, LineLength: 7, LineCRC32C: Checksum([]byte("second\n")), Delivered: 2}
	for name, p := range map[string]Position{"the beginning": {}, "what --all begins with": {Lost: 3}, "behind a line": good} {
		if err := p.Prove(file, int64(len(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, spoil := range map[string]func(*Position){
		"no offset":       func(p *Position) { p.Offset = 0 },
		"negative":        func(p *Position) { p.Offset = -1 },
		"behind the end":  func(p *Position) { p.Offset = 99 },
		"no line":         func(p *Position) { p.LineLength = 0 },
		"too long a line": func(p *Position) { p.LineLength = 14 },
		"huge":            func(p *Position) { p.Offset, p.LineLength = math.MaxInt64, math.MaxInt64 },
		"another line":    func(p *Position) { p.LineCRC32C = "00000000" },
		"within a line":   func(p *Position) { p.Offset, p.LineCRC32C = 12, Checksum([]byte("\nsecond")) },
	} {
		p := good
		spoil(&p)
		if p.Prove(file, int64(len(text))) == nil {
			t.Errorf("%s: %+v was believed", name, p)
		}
	}
}
