// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// composer puts one tree together: the site's file, the submit files in their order, each
// with the files that its defaults list names, then the command line.
type composer struct {
	report  *report
	opt     Options
	site    *site               // nil without a site file
	files   []Source            // the submit files
	chosen  map[string]*choice  // of groups, by the command line
	added   []*choice           // groups that the command line adds
	read    int                 // files read so far
	removed map[string]position // keys that the command line took away
	listed  map[string]bool     // groups that a defaults list has
}

// compose returns nil when there is nothing to go on with.
func compose(sources []Source, overrides []string, opt Options, r *report) (*node, *composer) {
	c := &composer{report: r, opt: opt, chosen: map[string]*choice{}, removed: map[string]position{}, listed: map[string]bool{}}
	var root *node
	for _, src := range sources {
		if !src.Site {
			c.files = append(c.files, src)
			continue
		}
		root = merge(root, c.siteFile(src))
	}
	if len(c.files) == 0 {
		r.addf(position{file: commandLine}, nil, "no submit file is given").hintf("give one with -c FILE")
		return nil, c
	}
	changes := c.overrides(overrides)
	for _, src := range c.files {
		root = merge(root, c.primary(src))
	}
	for _, add := range c.added {
		root = merge(root, c.addition(add))
	}
	c.requireUsed(c.chosen)
	if root == nil {
		return nil, c
	}
	for _, change := range changes {
		change.apply(root, c)
	}
	return root, c
}

// primary reads one file of the command line with all that its defaults list brings.
func (c *composer) primary(src Source) *node {
	n := c.parse(src, nil)
	if n == nil {
		return nil
	}
	if n.isNull() {
		c.report.addf(n.at, nil, "the file is empty").hintf("the sections are %s", sections)
		return nil
	}
	e := expansion{composer: c, dirs: c.dirs(src), chosen: map[string]*choice{}, seen: map[string]position{}}
	return e.primary(n, src.Name)
}

const sections = "services, compute, driver, job and otel"

// dirs is where the config groups of a file are: beside it, then beside the site's file.
func (c *composer) dirs(src Source) []string {
	dirs := []string{filepath.Dir(src.Name)}
	if c.site != nil && !src.Site {
		if dir := filepath.Dir(c.site.name); dir != dirs[0] {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// parse gives a file its number and reads it. Its keys stand below prefix.
func (c *composer) parse(src Source, prefix keyPath) *node {
	file := len(c.report.names)
	c.report.names = append(c.report.names, src.Name)
	return parse(src, file, prefix, c.report)
}

// groupDir finds the directory of a config group for the command line.
func (c *composer) groupDir(group string) (dirs []string, ok bool) {
	if group == "" || strings.HasPrefix(group, "/") || !filepath.IsLocal(group) {
		return nil, false
	}
	for _, src := range slices.Backward(c.files) {
		for _, dir := range c.dirs(src) {
			if len(c.opt.options(filepath.Join(dir, group))) > 0 {
				return c.dirs(src), true
			}
		}
	}
	return nil, false
}

// options lists the config files of a directory, without their ending.
func (o Options) options(dir string) []string {
	readDir := o.ReadDir
	if readDir == nil {
		readDir = os.ReadDir
	}
	entries, err := readDir(filepath.ToSlash(dir))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), configEnding); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// configEnding is what Hydra looks for.
const configEnding = ".yaml"

func (o Options) readFile(name string) ([]byte, error) {
	if o.ReadFile == nil {
		return ReadFile(name)
	}
	return o.ReadFile(name)
}
