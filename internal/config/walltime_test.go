// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"testing"
	"time"
)

// The forms are those of sbatch's manual under --time.
func TestParseWalltime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30":         30 * time.Minute,
		"90":         90 * time.Minute,
		"30:15":      30*time.Minute + 15*time.Second,
		"90:00":      90 * time.Minute,
		"00:30:00":   30 * time.Minute,
		"1:2:3":      time.Hour + 2*time.Minute + 3*time.Second,
		"00:00:01":   time.Second,
		"100:00:00":  100 * time.Hour,
		"2-0":        48 * time.Hour,
		"1-12":       36 * time.Hour,
		"1-12:30":    36*time.Hour + 30*time.Minute,
		"1-12:30:10": 36*time.Hour + 30*time.Minute + 10*time.Second,
		"0-1":        time.Hour,
		"0-0:0:1":    time.Second,
		"UNLIMITED":  0,
		"Infinite":   0,
	} {
		got, err := ParseWalltime(text)
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseWalltimeRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"": errWalltimeForm, " ": errWalltimeForm, " 30": errWalltimeForm, "30 ": errWalltimeForm, "30\n": errWalltimeForm,
		"1h": errWalltimeForm, "1:": errWalltimeForm, ":1": errWalltimeForm, "1:2:3:4": errWalltimeForm,
		"-1": errWalltimeForm, "1-": errWalltimeForm, "1-2-3": errWalltimeForm, "1-2:3:4:5": errWalltimeForm,
		"+1": errWalltimeForm, "1.5": errWalltimeForm, "1_0": errWalltimeForm, "٣": errWalltimeForm, "never": errWalltimeForm,
		"1:x": errWalltimeForm, "99999999999999999999:x": errWalltimeForm,
		"0": errWalltimeZero, "00:00": errWalltimeZero, "00:00:00": errWalltimeZero, "0-0": errWalltimeZero,
		"99999999999999999999": errWalltimeLong, "9999999999": errWalltimeLong, "24855-23": errWalltimeLong,
		"24855-00:00:00:": errWalltimeForm,
	} {
		if got, err := ParseWalltime(text); !errors.Is(err, want) || got != 0 {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func FuzzParseWalltime(f *testing.F) {
	f.Add("1-12:30:10")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseWalltime(text)
		if got < 0 || got > maxWalltime || err != nil && got != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	})
}
