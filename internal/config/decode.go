// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// decoder fills the structs of the model from a tree. It goes on after a finding, so that
// a user sees all of them at once.
type decoder struct {
	report *report
	bad    map[string]bool // paths about which there is a finding
}

// Types that are more than their fields take part through these interfaces.
type (
	// custom decodes itself.
	custom interface {
		decode(d *decoder, n *node, p keyPath)
	}
	// defaulter has values that hold when a key is missing or null.
	defaulter interface{ setDefaults() }
	// demanding has keys that must be there.
	demanding interface{ required() []string }
	// varied has keys that depend on its type; variant names that type.
	varied interface{ variant() string }
	// lagging has keys that upstream knows and this program does not support yet.
	lagging interface{ unsupported() map[string]tolerated }
)

// tolerated lists the values of an unsupported key that ask for nothing, beside null.
type tolerated []string

// addf reports a finding about the value at p.
func (d *decoder) addf(at position, p keyPath, format string, args ...any) *finding {
	d.bad[p.String()] = true
	return d.report.addf(at, p, format, args...)
}

// value decodes n into v, whose default is set already.
func (d *decoder) value(n *node, p keyPath, v reflect.Value) {
	switch {
	case n.broken:
		d.bad[p.String()] = true
		return
	case n.isUnset():
		d.addf(n.at, p, "has no value yet").hintf("??? asks for one in a later file or on the command line")
		return
	}
	target := v.Addr().Interface()
	if free, ok := target.(*[]Override); ok {
		target = (*overrides)(free)
	}
	if c, ok := target.(custom); ok {
		c.decode(d, n, p)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		d.pointer(n, p, v)
	case reflect.Struct:
		d.structure(n, p, v)
	case reflect.Slice:
		d.list(n, p, v)
	case reflect.String:
		if d.isScalar(n, p, "text") {
			v.SetString(n.text)
		}
	case reflect.Int:
		if d.isScalar(n, p, "a whole number") {
			d.integer(n, p, v)
		}
	case reflect.Bool:
		if d.isScalar(n, p, "true or false") {
			d.boolean(n, p, v)
		}
	default:
		panic("config: no decoding for " + v.Type().String())
	}
}

// isScalar reports what is not the scalar that was expected.
func (d *decoder) isScalar(n *node, p keyPath, want string) bool {
	if n.kind == scalar {
		return true
	}
	f := d.addf(n.at, p, "expected %s, found %s", want, n.describe())
	if n.isBraced() {
		f.hintf("text that begins with { has to be quoted")
	}
	return false
}

// isBraced tells `{word}`, which is a mapping to YAML and was hardly meant as one.
func (n *node) isBraced() bool {
	return n.kind == mapping && len(n.fields) == 1 && n.fields[0].value.isNull()
}

func (d *decoder) integer(n *node, p keyPath, v reflect.Value) {
	value, complaint := parseInt(n.text)
	if complaint != "" {
		d.addf(n.at, p, "%s, found %s", complaint, n.quote())
		return
	}
	v.SetInt(int64(value))
}

func (d *decoder) boolean(n *node, p keyPath, v reflect.Value) {
	value, ok := parseBool(n.text)
	if !ok {
		d.addf(n.at, p, "expected true or false, found %s", n.quote())
		return
	}
	v.SetBool(value)
}

// pointer is nil for null, and points to a decoded value otherwise.
func (d *decoder) pointer(n *node, p keyPath, v reflect.Value) {
	if n.isNull() {
		v.SetZero()
		return
	}
	v.Set(reflect.New(v.Type().Elem()))
	d.value(n, p, v.Elem())
}

func (d *decoder) list(n *node, p keyPath, v reflect.Value) {
	if n.kind != list {
		f := d.addf(n.at, p, "expected a list, found %s", n.describe())
		if n.kind == scalar {
			f.hintf("a list of one is written [value]")
		}
		return
	}
	items := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		if item.isNull() {
			d.addf(item.at, p.item(i), "expected a value, found null")
			continue
		}
		d.value(item, p.item(i), items.Index(i))
	}
	if len(n.items) > 0 {
		v.Set(items)
	}
}

// structure decodes the keys of a mapping into the fields of a struct.
func (d *decoder) structure(n *node, p keyPath, v reflect.Value) {
	target := v.Addr().Interface()
	if def, ok := target.(defaulter); ok {
		def.setDefaults()
	}
	if n.kind != mapping {
		d.addf(n.at, p, "expected a mapping, found %s", n.describe())
		return
	}
	known := fieldsOf(v)
	lag, _ := target.(lagging)
	for _, f := range n.fields {
		index, ok := known.index[f.key]
		switch {
		case ok && f.value.isNull() && v.Field(index).Kind() != reflect.Pointer:
			// Null asks for the default, which is set; for a required key it is nothing.
		case ok:
			d.value(f.value, p.key(f.key), v.Field(index))
		case !d.lags(lag, f, p):
			d.unknown(f, p, known.names)
		}
	}
	if want, ok := target.(demanding); ok {
		d.missing(n, p, want.required())
	}
}

// missing reports required keys that are null, or not there: then at their mapping.
func (d *decoder) missing(n *node, p keyPath, required []string) {
	for _, key := range required {
		at, value := n.at, n.get(key)
		if value != nil {
			at = value.at
		}
		if value == nil || value.isNull() {
			d.addf(at, p.key(key), "is required").hint = requiredHints[key]
		}
	}
}

// lags reports a key of upstream's schema that has no meaning here yet.
func (d *decoder) lags(lag lagging, f field, p keyPath) bool {
	if lag == nil {
		return false
	}
	harmless, ok := lag.unsupported()[f.key]
	if !ok {
		return false
	}
	if f.value.broken || f.value.isNull() {
		return true
	}
	if f.value.kind != scalar || !slices.Contains(harmless, strings.ToLower(f.value.text)) {
		finding := d.addf(f.at, p.key(f.key), "is not supported yet")
		if len(harmless) > 0 {
			finding.hintf("remove it, or write %s", harmless[0])
		} else {
			finding.hintf("remove it")
		}
	}
	return true
}

func (d *decoder) unknown(f field, p keyPath, known []string) {
	finding := d.addf(f.at, p.key(f.key), "unknown key")
	if _, odd := unseen(f.key); odd {
		finding.hintf(pastedHint)
	} else if near := nearest(f.key, known); near != "" {
		finding.hintf("did you mean %s?", near)
	} else if homes := homesOf(f.key, p); len(homes) > 0 {
		finding.hintf("%s is a key of %s; known keys here: %s", f.key, strings.Join(homes, " and "), strings.Join(known, ", "))
	} else {
		finding.hintf("known keys: %s", strings.Join(known, ", "))
	}
}

// nearest is the known word that somebody may have meant, or nothing.
func nearest(word string, known []string) string {
	best, distance := "", max(1, len(word)/3)+1
	for _, k := range known {
		if len(word) > 3 && strings.HasPrefix(k, strings.ToLower(word)) {
			return k
		}
		d := levenshtein.Distance(strings.ToLower(word), k, nil)
		if swapped(strings.ToLower(word), k) {
			d = 1
		}
		if d < distance {
			best, distance = k, d
		}
	}
	return best
}

// swapped tells the commonest slip of two fingers, which is two changes to levenshtein.
func swapped(a, b string) bool {
	for i := range len(a) - 1 {
		if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return true
		}
	}
	return false
}

// oneOf reports a word that is none of the known ones.
func (d *decoder) oneOf(n *node, p keyPath, known ...string) {
	f := d.addf(n.at, p, "there is no such %s%s", p[len(p)-1].name, n.suffix())
	if near := nearest(n.text, known); near != "" {
		f.hintf("did you mean %s?", near)
	} else {
		f.hintf("known: %s", strings.Join(known, ", "))
	}
}

// schema is what a struct's tags say.
type schema struct {
	names []string // in the order of the struct
	index map[string]int
}

// fieldsOf returns the keys of the struct v, less those of other variants.
func fieldsOf(v reflect.Value) schema {
	s := schema{index: map[string]int{}}
	for i := range v.NumField() {
		if name := keyOf(v, i); name != "" {
			s.names = append(s.names, name)
			s.index[name] = i
		}
	}
	return s
}

// keyOf is the key of the i-th field of v, or nothing for one that is no key.
func keyOf(v reflect.Value, i int) string {
	tag := v.Type().Field(i).Tag
	if of := tag.Get("type"); of != "" {
		if value, ok := reflect.TypeAssert[varied](v); ok && value.variant() != of {
			return ""
		}
	}
	return tag.Get("yaml")
}
