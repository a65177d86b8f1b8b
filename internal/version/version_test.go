// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package version

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionIsARelease(t *testing.T) {
	// The manifest, the image and the records carry it: no spaces, no leading v.
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(Version) {
		t.Errorf("VERSION holds %q, want something like 1.2.3 or 1.2.3-rc.1", Version)
	}
}

func TestDescribe(t *testing.T) {
	platform := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, tt := range []struct {
		name, commit, date, want string
	}{
		{"all known", "0123456789ab", "2026-11-30T10:00:00Z", "1.2.3 (commit 0123456789ab, 2026-11-30T10:00:00Z, " + platform + ")"},
		{"source archive without git", "", "", "1.2.3 (" + platform + ")"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := describe("1.2.3", tt.commit, tt.date); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFromSettings(t *testing.T) {
	for _, tt := range []struct {
		name         string
		settings     []debug.BuildSetting
		commit, date string
	}{
		{name: "nothing recorded"},
		{
			name: "clean tree",
			settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0123456789abcdef0123"},
				{Key: "vcs.time", Value: "2026-11-30T10:00:00Z"},
				{Key: "vcs.modified", Value: "false"},
			},
			commit: "0123456789ab",
			date:   "2026-11-30T10:00:00Z",
		},
		{
			name: "tree with changes",
			settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0123456789abcdef0123"},
				{Key: "vcs.modified", Value: "true"},
			},
			commit: "0123456789ab-dirty",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			commit, date := fromSettings(tt.settings)
			if commit != tt.commit || date != tt.date {
				t.Errorf("got %q, %q; want %q, %q", commit, date, tt.commit, tt.date)
			}
		})
	}
}
