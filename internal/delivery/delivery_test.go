// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("an empty directory: %v", err)
	}
	file := &File{Version: Version, RunID: "run", Owner: Owner{ID: "a", Generation: 3}, Signals: map[otlpfile.Signal]*Signal{
		otlpfile.Metrics: {Accepted: 5, Delivered: 3, Undelivered: 2, Position: Position{Offset: 17, LineCRC32C: "0a0b0c0d"}},
	}}
	for range 2 {
		if err := file.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(dir)
	if err != nil || got.RunID != "run" || got.Signals[otlpfile.Metrics].Position != file.Signals[otlpfile.Metrics].Position {
		t.Errorf("saved %+v, loaded %+v, %v", file, got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if info, err := os.Stat(filepath.Join(dir, FileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, content := range map[string]string{"torn": `{"version": 1, "ru`, "empty": "", "older": `{"version": 0}`, "list": `[]`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(dir); err == nil {
			t.Errorf("%s: loaded %+v", name, got)
		}
	}
}

func TestRangesStayBounded(t *testing.T) {
	s := &Signal{}
	for i := range int64(5000) {
		s.AddRange(Range{Start: i * 10, End: i*10 + 5, Items: 1, Status: 400, Reason: "rejected"})
	}
	var items int64
	for _, r := range s.Ranges {
		items += r.Items
	}
	if len(s.Ranges) != maxRanges || items != 5000 || s.Ranges[maxRanges-1].End != 49995 {
		t.Errorf("%d ranges with %d items, the last one %+v", len(s.Ranges), items, s.Ranges[len(s.Ranges)-1])
	}
}

func TestErrorsAreShortAndWhole(t *testing.T) {
	e := NewError("transient", 503, strings.Repeat("ü\n", 2000)+"\xff")
	if len(e.Message) > maxMessage || !utf8.ValidString(e.Message) || strings.Contains(e.Message, "\n") {
		t.Errorf("%d bytes: %q", len(e.Message), e.Message)
	}
}

func TestNewerOwner(t *testing.T) {
	a, b := Owner{ID: "a", Generation: 2}, Owner{ID: "b", Generation: 1}
	if !a.Newer(b) || b.Newer(a) {
		t.Error("the higher generation is the newer one")
	}
	b.Generation = 2
	if a.Newer(b) == b.Newer(a) {
		t.Error("of two owners of one generation exactly one gives way")
	}
}

// FuzzLoad: no content of the file makes a start fail.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"version":1,"signals":{"metrics":{"position":{"offset":-1}}}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(dir); (got == nil) == (err == nil) {
			t.Errorf("%q: %v, %v", content, got, err)
		}
	})
}
