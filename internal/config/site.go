// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"slices"
	"strings"
)

// site is the file that a cluster's admin keeps for everybody.
type site struct {
	name  string
	root  *node // as composed from the site's own files
	locks []lock
}

// lock is a key that users may not change.
type lock struct {
	names []string
	at    position // where the site says so
	want  *node    // nil: the default
}

// lockedKey is the key of the site's file that lists its locks.
const lockedKey = "_locked"

// siteFile reads the site's file. One of comments alone is as good as none.
func (c *composer) siteFile(src Source) *node {
	n := c.parse(src, nil)
	if n == nil || n.isNull() {
		return nil
	}
	e := expansion{composer: c, dirs: c.dirs(src), chosen: map[string]*choice{}, seen: map[string]position{}}
	n = e.primary(n, src.Name)
	c.site = &site{name: src.Name}
	locked := removeField(n, lockedKey)
	c.site.root = clone(n)
	c.readLocks(locked)
	return n
}

func (c *composer) readLocks(n *node) {
	p := path(lockedKey)
	switch {
	case n == nil || n.broken || n.isNull():
		return
	case n.kind != list:
		c.report.addf(n.at, p, "expected a list of keys, found %s", n.describe()).hintf("write it like [otel.endpoint, otel.service_name]")
		return
	}
	r := newResolver(c.site.root, c.opt.lookupEnv, c.report)
	for i, item := range n.items {
		names, ok := parsePath(item.text)
		if item.kind != scalar || item.isNull() || !ok {
			c.report.addf(item.at, p.item(i), "expected a key such as otel.endpoint, found %s", item.quote())
			continue
		}
		if bad, known := unknownKey(reflect.TypeFor[Config](), names); bad != "" {
			f := c.report.addf(item.at, p.item(i), "there is no key %s", bad)
			if near := nearest(names[len(names)-1], known); near != "" {
				f.hintf("did you mean %s?", near)
			}
			continue
		}
		c.lock(r, names, item.at)
		// A token's file wins over its variable: who locks the one means where the token comes from.
		if other := otherToken[item.text]; other != "" {
			names, _ := parsePath(other)
			c.lock(r, names, item.at)
		}
	}
}

// otherToken is the other way to name the token.
var otherToken = map[string]string{"otel.token_env": "otel.token_file", "otel.token_file": "otel.token_env"}

// lock locks a key at the value that the site's file gives it.
func (c *composer) lock(r *resolver, names []string, at position) {
	before := len(c.report.found)
	want := r.lookup(names)
	for _, f := range c.report.found[before:] {
		if strings.HasPrefix(f.message, "there is no key") {
			f.hintf("a locked value can refer to keys of the site's file only")
		}
	}
	c.site.locks = append(c.site.locks, lock{names: names, at: at, want: clone(want)})
}

// unknownKey returns the part of a key that the schema does not know, with what it does.
func unknownKey(t reflect.Type, names []string) (bad string, known []string) {
	for i, name := range names {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if entry, ok := entryOf(t); ok {
			t = entry
			continue
		}
		if t.Kind() != reflect.Struct || t == reflect.TypeFor[EnvVar]() {
			return "", nil // free below this, or an item of a list
		}
		fields := keyFields(t)
		index := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("yaml") == name })
		if index < 0 {
			for _, f := range fields {
				known = append(known, f.Tag.Get("yaml"))
			}
			return strings.Join(names[:i+1], "."), known
		}
		t = fields[index].Type
	}
	return "", nil
}

// keyFields are the fields of a struct that are keys, those of all variants.
func keyFields(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("yaml") == "" })
}

// checkLocks compares what was composed with what it would be if the site alone had set
// the locked keys. Both are compared as they would be written, so that the same value in
// other words, and a default that is spelled out, are no change.
func (c *composer) checkLocks(root *node, cfg *Config) {
	if c.site == nil || len(c.site.locks) == 0 {
		return
	}
	forced := clone(root)
	for _, l := range c.site.locks {
		l.force(&forced)
	}
	want, _ := decode(forced, &report{names: c.report.names})
	wanted, got := encode(reflect.ValueOf(*want)), encode(reflect.ValueOf(*cfg))
	for _, l := range c.site.locks {
		c.checkPools(l, root)
		_, p, rest := descend(&got, l.names)
		if len(rest) > 0 {
			if _, p, rest = descend(&wanted, l.names); len(rest) > 0 {
				continue
			}
		}
		if q, differ := difference(find(wanted, p), find(got, p), p); differ {
			c.reportLock(l, root, q)
		}
	}
}

// checkPools looks for a locked option of sbatch among those of the node pools, which stand
// behind it in the script and win.
func (c *composer) checkPools(l lock, root *node) {
	if len(l.names) < 3 || l.names[0] != "compute" || l.names[2] != "extra_args" {
		return
	}
	cluster := path(l.names[:2]...)
	pools := find(root, cluster.key("node_pools"))
	if pools == nil {
		return
	}
	locked := find(c.site.root, cluster.key("extra_args"))
	for _, pool := range pools.fields {
		options := pool.value.get("extra_args")
		if options == nil {
			continue
		}
		for _, option := range options.fields {
			want := locked.get(option.key)
			named := slices.Equal(l.names[3:], []string{option.key}) || len(l.names) == 3 && want != nil
			at := cluster.key("node_pools").key(pool.key).key("extra_args").key(option.key)
			own := find(c.site.root, at)
			if named && (want == nil || !same(want, option.value)) && (own == nil || !same(own, option.value)) {
				c.report.addf(option.value.at, at, "is locked by the site,%s", c.report.where(l.at)).
					hintf("remove it; whoever keeps the site's file can change it there")
			}
		}
	}
}

// reportLock names the place of the change and that of the lock. A locked value can change
// where it stands, with a key that it refers to.
func (c *composer) reportLock(l lock, root *node, p keyPath) {
	at, lockedAt := c.placeOfChange(root, p), l.at
	if n := find(c.site.root, p); n != nil {
		lockedAt = n.at
		if changed := find(root, p); at == lockedAt && changed != nil && changed.kind == list && n.kind == list {
			at = changedItem(n, changed, at)
		}
	}
	message := "is locked by the site," + c.report.where(lockedAt)
	hint := "remove it; whoever keeps the site's file can change it there"
	if at == lockedAt {
		message, hint = "is locked by the site, and a key that it refers to was changed", "use another name for that key"
	}
	c.report.addf(at, p, "%s", message).hintf("%s", hint)
}

// changedItem is where the first item stands that differs, or else the place of the list.
func changedItem(want, got *node, at position) position {
	for i, item := range got.items {
		if i >= len(want.items) || !same(want.items[i], item) {
			return item.at
		}
	}
	return at
}

// force gives a locked key the value that it has in the site's file.
func (l lock) force(root **node) {
	slot, p, rest := descend(root, l.names)
	switch {
	case l.want == nil && len(rest) == 0:
		parent := find(*root, p[:len(p)-1])
		if parent.kind == mapping {
			removeField(parent, p[len(p)-1].name)
		}
	case l.want == nil:
	case len(rest) == 0:
		*slot = clone(l.want)
	default:
		ch := change{value: clone(l.want), at: l.at}
		ch.set(slot, p, rest, &report{})
	}
}

// difference finds the first value below p in which two trees differ.
func difference(want, got *node, p keyPath) (keyPath, bool) {
	if want == nil || got == nil {
		return p, want != got
	}
	if want.kind == mapping && got.kind == mapping {
		for _, f := range got.fields {
			if q, differ := difference(want.get(f.key), f.value, p.key(f.key)); differ {
				return q, true
			}
		}
	}
	return p, !same(want, got)
}

// placeOfChange is where a user changed the value at p.
func (c *composer) placeOfChange(root *node, p keyPath) position {
	for n := len(p); n > 0; n-- {
		if at, ok := c.removed[p[:n].String()]; ok {
			return at
		}
	}
	o := origin{root: root}
	return o.place(p)
}
