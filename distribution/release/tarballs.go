// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// siteFile is edited before or after the installation, so no checksum covers it. The same text
// as it was shipped is among the examples.
const siteFile = "etc/site.yaml"

// tarballs makes one tarball for each architecture and one for clusters that have several, and
// the directories that the packages are made of.
func tarballs(o options) error {
	common, err := commonFiles(o)
	if err != nil {
		return err
	}
	all := tree{}
	for _, arch := range o.arches {
		own, err := ofArch(o, arch)
		if err != nil {
			return err
		}
		merge(all, own)
		t := tree{}
		merge(t, common, own)
		t.addFile("bin/gym-otelcol", 0o755, o.program(arch, "gym-otelcol"))
		t.addFile("bin/gym-submit", 0o755, o.program(arch, "gym-submit"))
		if err := pack(o, t, arch); err != nil {
			return err
		}
		if err := t.writeDir(filepath.Join(o.out, "build", "tree-"+arch), o.time); err != nil {
			return err
		}
	}
	if len(o.arches) < 2 {
		return nil
	}
	merge(all, common)
	for _, arch := range o.arches {
		all.addFile("bin/"+arch+"/gym-otelcol", 0o755, o.program(arch, "gym-otelcol"))
		all.addFile("bin/"+arch+"/gym-submit", 0o755, o.program(arch, "gym-submit"))
	}
	all.addFile("bin/gym-submit", 0o755, "distribution/gym-submit.sh")
	return pack(o, all, "multi")
}

// pack adds the checksums and writes the tarball.
func pack(o options, t tree, what string) error {
	sums, err := t.sums(siteFile)
	if err != nil {
		return err
	}
	t.add("SHA256SUMS", sums)
	return t.writeTarGz(filepath.Join(o.out, name(what)+".tar.gz"), name(what), o.time)
}

// commonFiles are the files that have no architecture.
func commonFiles(o options) (tree, error) {
	t := tree{}
	t.add("VERSION", []byte(version.Version+"\n"))
	t.addFile("install.sh", 0o755, "distribution/install.sh")
	t.addFile(siteFile, 0o644, "distribution/site.yaml")
	t.addFile("share/examples/site.yaml", 0o644, "distribution/site.yaml")
	t.addFile("share/examples/submit-file.schema.json", 0o644, "distribution/submit-file.schema.json")
	t.addFile("share/modulefiles/gym-otelcol.lua", 0o644, "distribution/modulefiles/gym-otelcol.lua")
	t.addFile("share/modulefiles/gym-otelcol.tcl", 0o644, "distribution/modulefiles/gym-otelcol.tcl")
	for _, file := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
		t.addFile(file, 0o644, file)
	}
	for dir, pattern := range map[string]string{
		"share/examples":      "distribution/example*.yaml",
		"share/dashboards":    "distribution/dashboards/*",
		"share/doc":           "docs/*.md",
		"share/doc/admin":     "docs/admin/*.md",
		"share/doc/user":      "docs/user/*.md",
		"share/doc/reference": "docs/reference/*.md",
	} {
		if err := t.addMatching(dir, pattern); err != nil {
			return nil, err
		}
	}
	if err := relink(t); err != nil {
		return nil, err
	}
	if err := addGenerated(t, o); err != nil {
		return nil, fmt.Errorf("ask gym-submit for completions and man pages: %w", err)
	}
	return t, nil
}

// addGenerated adds what gym-submit writes itself: completions and man pages. It is built for
// this machine, whatever the architectures of the release are.
func addGenerated(t tree, o options) error {
	dir, err := os.MkdirTemp(o.programs, "host-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "gym-submit")
	if err := command(nil, "go", "build", "-o", program, "./cmd/gym-submit"); err != nil {
		return err
	}
	for shell, file := range map[string]string{"bash": "gym-submit", "zsh": "_gym-submit", "fish": "gym-submit.fish"} {
		out, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion for %s: %w", shell, err)
		}
		t.add("share/completions/"+shell+"/"+file, out)
	}
	return addManPages(t, program, filepath.Join(dir, "man"), o)
}

func addManPages(t tree, program, dir string, o options) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	epoch := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", o.time.Unix())
	if err := command([]string{epoch}, program, "man", dir); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err == nil && len(pages) == 0 {
		err = fmt.Errorf("%s man wrote no pages", program)
	}
	for _, page := range pages {
		data, readErr := os.ReadFile(page)
		if readErr != nil {
			return readErr
		}
		t.add("share/man/man1/"+filepath.Base(page), data)
	}
	return err
}

// ofArch are licence texts and bills of materials, which depend on what is linked.
func ofArch(o options, arch string) (tree, error) {
	t := tree{}
	if err := addLicences(t, arch); err != nil {
		return nil, fmt.Errorf("collect the licences for %s: %w", arch, err)
	}
	return t, addBills(t, o, arch)
}

func merge(into tree, others ...tree) {
	for _, other := range others {
		maps.Copy(into, other)
	}
}

// command runs a program that says something only when it fails.
func command(env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(slices.Clone(os.Environ()), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}
