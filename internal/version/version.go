// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package version says which gym-otelcol this is. The file VERSION is its only source;
// a test beside the collector compares the builder's manifest with it.
package version

import (
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

//go:embed VERSION
var file string

// Version is the release, such as 0.1.0.
var Version = strings.TrimSpace(file)

// Commit and Date are set by the linker in `make build`. A plain `go build` or `go
// install` leaves them empty: then they come from what the go command recorded.
var (
	Commit string
	Date   string // of the commit, so that the same source gives the same bytes
)

func init() {
	info, ok := debug.ReadBuildInfo()
	if !ok || Commit != "" {
		return
	}
	Commit, Date = fromSettings(info.Settings)
}

func fromSettings(settings []debug.BuildSetting) (commit, date string) {
	values := make(map[string]string, len(settings))
	for _, s := range settings {
		values[s.Key] = s.Value
	}
	commit = values["vcs.revision"]
	if len(commit) > 12 {
		commit = commit[:12]
	}
	if commit != "" && values["vcs.modified"] == "true" {
		commit += "-dirty"
	}
	return commit, values["vcs.time"]
}

// String is the one line that a `version` command prints.
func String() string {
	return describe(Version, Commit, Date)
}

func describe(version, commit, date string) string {
	parts := make([]string, 0, 3)
	if commit != "" {
		parts = append(parts, "commit "+commit)
	}
	if date != "" {
		parts = append(parts, date)
	}
	parts = append(parts, fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH))
	return fmt.Sprintf("%s (%s)", version, strings.Join(parts, ", "))
}
