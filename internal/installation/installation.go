// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package installation knows how the programs lie on a site's storage: the collector beside
// gym-submit, or one of each for every architecture in directories named after them.
package installation

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Arch is the part of a path that stands for the architecture of the machine that runs the
// program: amd64 or arm64.
const Arch = "{arch}"

// Collector is the gym-otelcol that belongs to a gym-submit, whose path has no symbolic links.
// bin/amd64/gym-submit has one for every architecture: the compute nodes may have another.
func Collector(program string) string {
	dir := filepath.Dir(program)
	if filepath.Base(dir) == runtime.GOARCH {
		dir = filepath.Join(filepath.Dir(dir), Arch)
	}
	return filepath.Join(dir, "gym-otelcol")
}

// Prefix is the directory above bin, of a program in bin or in bin/amd64.
func Prefix(program string) string {
	dir := filepath.Dir(program)
	if filepath.Base(dir) == runtime.GOARCH {
		dir = filepath.Dir(dir)
	}
	return filepath.Dir(dir)
}

// Here is the path on this machine.
func Here(path string) string { return strings.ReplaceAll(path, Arch, runtime.GOARCH) }

// For is the path on a machine of which `uname -m` is known. Other machines have no name here:
// the path stays as it is.
func For(path, machine string) string {
	if arch := map[string]string{"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[machine]; arch != "" {
		return strings.ReplaceAll(path, Arch, arch)
	}
	return path
}

// Pinned is the path with its symbolic links followed as they are now. A queued job keeps the
// version it was submitted with although `current` is switched to the next one. What is not on
// this machine, and what is named by a link of its own below {arch}, stays as it is.
func Pinned(path string) string {
	before, after, several := strings.Cut(path, Arch)
	if !several {
		return follow(path)
	}
	dir, name := filepath.Split(before)
	return filepath.Join(follow(dir), name+Arch+after)
}

func follow(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

var placeholder = regexp.MustCompile(`\{[A-Za-z_]*\}`)

// Unknown is the first placeholder in a path that nobody fills in, or empty.
func Unknown(path string) string {
	return placeholder.FindString(strings.ReplaceAll(path, Arch, ""))
}
