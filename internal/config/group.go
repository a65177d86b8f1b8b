// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"io/fs"
	"maps"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
)

// choice is an option of a config group that is not the one of the list.
type choice struct {
	key    string // of the group, see entry.key
	option *node  // nil: the group is taken out
	only   *node  // with a nil option: only when this is what is chosen
	at     position
	path   keyPath
	used   bool
	dirs   []string // for a group that the command line adds
}

// expansion follows the defaults lists that begin in one file.
type expansion struct {
	*composer
	dirs   []string
	chosen map[string]*choice  // by `override` in a list; the outermost was first
	seen   map[string]position // groups and files that are in
	known  []field             // the choices so far, for references to them
	open   []string            // files whose lists are being followed
}

// A submission has a handful of files. The limit is for lists that multiply.
const maxGroupFiles = 200

func (e *expansion) primary(n *node, name string) *node {
	e.open = []string{name}
	var root *node
	for _, part := range e.file(n, "", "") {
		root = merge(root, part)
	}
	e.requireUsed(e.chosen)
	return root
}

// file returns the trees that a file stands for, in the order in which they are merged.
func (e *expansion) file(n *node, group, pkg string) []*node {
	entries := takeDefaults(n, e.report)
	for _, item := range entries {
		if !item.override {
			continue
		}
		key := item.key(group, pkg)
		if e.chosen[key] == nil {
			e.chosen[key] = &choice{key: key, option: item.option, at: item.at, path: item.path}
		}
	}
	var parts []*node
	for _, item := range entries {
		switch {
		case item.override:
		case item.self:
			parts = append(parts, wrap(n, pkg))
		default:
			parts = append(parts, e.entry(item, group, pkg)...)
		}
	}
	return parts
}

// entry follows one item of a defaults list.
func (e *expansion) entry(item entry, group, pkg string) []*node {
	key := item.key(group, pkg)
	if _, twice := e.seen[key]; twice {
		e.report.addf(item.at, item.path, "%s is in the defaults lists twice", strings.TrimSuffix(key, "@")).
			hintf("remove one of the two; another option for a group is chosen with `override`")
		return nil
	}
	e.seen[key], e.listed[key] = item.at, true
	option := item.option
	if item.group != "" {
		option = e.choose(key, &item)
	}
	if option == nil || option.isNull() {
		return nil
	}
	options := []*node{option}
	if option.kind == list {
		options = option.items
	}
	var parts []*node
	for _, o := range options {
		o = e.resolved(o, item.path)
		switch {
		case o.broken:
			continue
		case o.kind != scalar || o.isNull() || strings.TrimSpace(o.text) == "":
			e.report.addf(o.at, item.path, "expected the name of a file of the group %s, found %s", item.group, o.describe())
			continue
		case o.isUnset():
			e.report.addf(o.at, item.path, "no option of %s is chosen", item.group).
				hintf("choose one with %s=…: %s", key, e.offers(item.groupBelow(group)))
			continue
		}
		if item.group != "" {
			e.known = append(e.known, field{key: key, value: o})
		}
		parts = append(parts, e.load(item, o, group, pkg)...)
	}
	return parts
}

// choose finds the option of a group: the command line is before `override`, which is
// before the list itself.
func (e *expansion) choose(key string, item *entry) *node {
	listed := e.chosen[key]
	if listed != nil {
		listed.used = true
	}
	c := e.composer.chosen[key]
	if c == nil {
		c = listed
	}
	if c == nil {
		return item.option
	}
	c.used = true
	if c.option == nil {
		if c.only != nil && !same(c.only, item.option) {
			e.report.addf(c.at, c.path, "another option is chosen").hintf("leave out =… to remove it in any case")
		}
		return nil
	}
	item.path, item.optional = c.path, item.optional && c.at.file != commandLine
	return c.option
}

// resolved replaces references in the name of an option: to the environment, and to the
// options that were chosen before.
func (e *expansion) resolved(n *node, p keyPath) *node {
	if n.broken || n.kind != scalar || !hasTemplate(n.text) {
		return n
	}
	const name = "defaults"
	tree := &node{kind: mapping, at: n.at, fields: append(slices.Clone(e.known), field{key: name, value: clone(n)})}
	interpolate(tree, e.opt.lookupEnv, e.report)
	out := tree.get(name)
	if out.broken {
		e.report.found[len(e.report.found)-1].path = p
	}
	return out
}

// load reads one file of a group.
func (e *expansion) load(item entry, option *node, parentGroup, parentPkg string) []*node {
	group := item.groupBelow(parentGroup)
	name := option.text
	if item.group == "" {
		name = baseOf(name)
	}
	relative := slashpath.Clean(join(group, strings.TrimSuffix(name, configEnding), "/"))
	if !filepath.IsLocal(relative) {
		e.report.addf(option.at, item.path, "leads out of the directory of the file")
		return nil
	}
	src, err := e.find(relative)
	switch {
	case errors.Is(err, fs.ErrNotExist) && item.optional:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		e.noOption(item, option, group, relative)
		return nil
	case err != nil:
		// The error's own path may hold what a variable of the environment does.
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err
		}
		e.report.addf(option.at, item.path, "the file of the group cannot be read: %v", err)
		return nil
	case slices.Contains(e.open, src.Name):
		e.report.addf(option.at, item.path, "the defaults lists go in a circle: %s", strings.Join(append(e.open, src.Name), ", "))
		return nil
	}
	if e.read++; e.read > maxGroupFiles {
		e.report.addf(option.at, item.path, "the defaults lists bring in too many files")
		return nil
	}
	pkg := item.packageBelow(parentPkg)
	if header, ok := packageHeader(src.Data); ok && !item.hasPkg {
		pkg = absolutePackage(strings.ReplaceAll(header, "_group_", strings.ReplaceAll(group, "/", ".")))
	}
	pkg = strings.ReplaceAll(pkg, "_name_", baseOf(name))
	n := e.parse(src, packagePath(pkg))
	if n == nil || n.isNull() {
		return nil // an option that sets nothing
	}
	e.open = append(e.open, src.Name)
	defer func() { e.open = e.open[:len(e.open)-1] }()
	return e.file(n, parentOf(relative), pkg)
}

// find looks for the file in the directories.
func (e *expansion) find(relative string) (Source, error) {
	for _, dir := range e.dirs {
		name := filepath.Join(dir, relative+configEnding)
		data, err := e.opt.readFile(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return Source{Name: name, Data: data}, err
		}
	}
	return Source{}, fs.ErrNotExist
}

func (e *expansion) noOption(item entry, option *node, group, relative string) {
	f := e.report.addf(option.at, item.path, "there is no file %s%s beside %s", relative, configEnding, e.open[0])
	if option.source != "" || option.at.file == commandLine {
		f.message = "there is no such file of the group " + printable(group)
	}
	if near := nearest(option.text, e.options(group)); near != "" {
		f.hintf("did you mean %s?", near)
		return
	}
	f.hint = printable(e.offers(group))
}

func (e *expansion) options(group string) []string {
	var names []string
	for _, dir := range e.dirs {
		names = append(names, e.opt.options(filepath.Join(dir, group))...)
	}
	return names
}

// offers names the options of a group.
func (e *expansion) offers(group string) string {
	known := e.options(group)
	if len(known) == 0 {
		return "there is no file in " + slashpath.Join(e.dirs[0], group)
	}
	return "there are: " + strings.Join(known, ", ")
}

// requireUsed reports choices for groups that no list has.
func (c *composer) requireUsed(chosen map[string]*choice) {
	for _, key := range slices.Sorted(maps.Keys(chosen)) {
		if unused := chosen[key]; !unused.used {
			f := c.report.addf(unused.at, unused.path, "no defaults list has the group %s", key)
			if unused.at.file == commandLine {
				f.hintf("+%s=… adds it", key)
			} else {
				f.hintf("`override` is for a group of a list further in; without it the item adds the group")
			}
		}
	}
}

// addition is what a group brings that the command line adds.
func (c *composer) addition(add *choice) *node {
	if c.listed[add.key] {
		c.report.addf(add.at, add.path, "a defaults list has the group already").hintf("leave the + out to choose another option")
		return nil
	}
	e := expansion{composer: c, dirs: add.dirs, chosen: map[string]*choice{}, seen: map[string]position{}, open: []string{"the submit file"}}
	item := entry{at: add.at, path: add.path, option: add.option}
	item.group, item.pkg, item.hasPkg = strings.Cut(add.key, "@")
	var root *node
	for _, part := range e.entry(item, "", "") {
		root = merge(root, part)
	}
	e.requireUsed(e.chosen)
	return root
}

// wrap puts a tree below the keys of a package.
func wrap(n *node, pkg string) *node {
	if pkg == "" {
		return n
	}
	names := strings.Split(pkg, ".")
	for _, name := range slices.Backward(names) {
		n = &node{kind: mapping, at: n.at, fields: []field{{key: name, at: n.at, value: n}}}
	}
	return n
}

func packagePath(pkg string) keyPath {
	if pkg == "" {
		return nil
	}
	return path(strings.Split(pkg, ".")...)
}
