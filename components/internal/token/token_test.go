// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/gym-otelcol/gym-otelcol/components/internal/answer"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// opened is a token file in use, and what is said about it.
func opened(t *testing.T) (path string, file *File, logs *observer.ObservedLogs) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "token")
	write(t, path, "first\n")
	core, logs := observer.New(zap.DebugLevel)
	file = At(path)
	if err := file.Open(zap.New(core)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(file.Close)
	return path, file, logs
}

func TestNoStartWithoutAToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := At(path).Open(zap.NewNop()); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("%v", err)
	}
}

func TestBadContentKeepsTheLastGoodToken(t *testing.T) {
	path, file, logs := opened(t)
	for name, spoil := range map[string]func(){
		"empty":       func() { write(t, path, "") },
		"blank":       func() { write(t, path, " \n") },
		"two lines":   func() { write(t, path, "one\ntwo\n") },
		"control":     func() { write(t, path, "a\x01b\n") },
		"missing":     func() { _ = os.Remove(path) },
		"others read": func() { write(t, path, "second\n"); _ = os.Chmod(path, 0o644) },
	} {
		_ = os.Remove(path)
		write(t, path, "first\n")
		file.read()
		before := logs.Len()
		spoil()
		for range 2 {
			if file.Renewed("first") {
				t.Errorf("%s: the token is another one", name)
			}
		}
		if got := file.For(t.Context()); got != "first" {
			t.Errorf("%s: the token is %q", name, got)
		}
		if said := logs.All()[before:]; len(said) != 1 || said[0].Level != zap.WarnLevel {
			t.Errorf("%s: %d lines in the log after two looks, want one warning: %v", name, len(said), said)
		}
	}
}

func TestHalfWrittenFile(t *testing.T) {
	path, file, _ := opened(t)
	write(t, path, "sec")
	go func() {
		time.Sleep(settling / 2)
		_ = os.WriteFile(path, []byte("second"), 0o600)
	}()
	if file.Renewed("first") {
		t.Error("half of a token was taken over")
	}
	if !file.Renewed("first") || file.For(t.Context()) != "second" {
		t.Errorf("the whole token was not taken over: %q", file.For(t.Context()))
	}
}

func TestRenewedTokenIsAnnounced(t *testing.T) {
	path, file, logs := opened(t)
	announced := Changed()
	write(t, path, "second")
	if !file.Renewed("first") || file.Renewed("second") {
		t.Error("the file has another token than the first, and no other than the second")
	}
	select {
	case <-announced:
	default:
		t.Error("nobody was told")
	}
	for _, line := range logs.All() {
		if strings.Contains(line.Message, "second") || len(line.Context) != 1 {
			t.Errorf("%v", line)
		}
	}
}

func TestTheFileIsReadInBetween(t *testing.T) {
	interval = 10 * time.Millisecond
	defer func() { interval = time.Minute }()
	path, _, _ := opened(t)
	announced := Changed()
	write(t, path, "second")
	select {
	case <-announced:
	case <-time.After(10 * time.Second):
		t.Error("nobody looked into the file")
	}
}

func TestOneRequestHasOneToken(t *testing.T) {
	path, file, _ := opened(t)
	ctx, _ := answer.With(context.Background())
	file.For(ctx)
	write(t, path, "second")
	file.read()
	if got := file.For(ctx); got != "first" {
		t.Errorf("the request under way got %q", got)
	}
	if got := file.For(context.Background()); got != "second" {
		t.Errorf("the next one got %q", got)
	}
}
