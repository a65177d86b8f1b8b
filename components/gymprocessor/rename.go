// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Rename replaces the prefix From of a metric name with To.
type Rename struct {
	From string `mapstructure:"from"`
	To   string `mapstructure:"to"`
}

var _ confmap.Validator = (*Rename)(nil)

// Validate refuses an empty To as well: it is a forgotten key far more often than a wish, and it could leave
// a metric without any name.
func (r *Rename) Validate() error {
	if r.From != "" && r.From == r.To {
		return fmt.Errorf("from and to are both %q: nothing to rename", r.From)
	}
	return errors.Join(requireText("from", r.From), requireText("to", r.To))
}

// validateRenames refuses two rules for one prefix, of which only one could ever apply.
func validateRenames(rules []Rename) error {
	var errs []error
	seen := make(map[string]bool, len(rules))
	for i, rule := range rules {
		if seen[rule.From] {
			errs = append(errs, fmt.Errorf("rename::%d::from: prefix %q is already renamed above", i, rule.From))
		}
		seen[rule.From] = true
	}
	return errors.Join(errs...)
}

// renamer applies the rules to one scope at a time. One serves any number of goroutines.
type renamer struct {
	rules    []Rename // longest From first
	disjoint bool     // two rules never make the same name of different ones
	pool     scopeNamesPool
	clashes  *clashReporter
}

func newRenamer(rules []Rename, clashes *clashReporter) *renamer {
	longestFirst := slices.Clone(rules)
	slices.SortStableFunc(longestFirst, func(a, b Rename) int { return len(b.From) - len(a.From) })
	return &renamer{rules: longestFirst, disjoint: areDisjoint(rules), clashes: clashes}
}

// areDisjoint reports whether no rule's To begins with another's.
func areDisjoint(rules []Rename) bool {
	for i, a := range rules {
		for _, b := range rules[i+1:] {
			if strings.HasPrefix(a.To, b.To) || strings.HasPrefix(b.To, a.To) {
				return false
			}
		}
	}
	return true
}

// renameScope costs nothing for a scope in which no name matches. Most scopes are of that kind. In nearly all others
// no new name can be taken yet, and then nobody has to keep account of the names.
func (r *renamer) renameScope(ctx context.Context, metrics pmetric.MetricSlice) {
	first := r.firstMatch(metrics)
	if first == metrics.Len() {
		return
	}
	if r.disjoint && !r.anyTaken(metrics) {
		for i := first; i < metrics.Len(); i++ {
			metric := metrics.At(i)
			if rule := r.match(metric.Name()); rule != nil {
				metric.SetName(rule.apply(metric.Name()))
			}
		}
		return
	}
	names := r.pool.get()
	defer r.pool.put(names)
	names.addOriginals(metrics, r.rules)
	for i := first; i < metrics.Len(); i++ {
		r.renameMetric(ctx, metrics.At(i), names)
	}
}

func (r *renamer) firstMatch(metrics pmetric.MetricSlice) int {
	for i := range metrics.Len() {
		if r.match(metrics.At(i).Name()) != nil {
			return i
		}
	}
	return metrics.Len()
}

// anyTaken reports whether the scope came in with a name that a rule could make.
func (r *renamer) anyTaken(metrics pmetric.MetricSlice) bool {
	for i := range metrics.Len() {
		if isPossibleResult(metrics.At(i).Name(), r.rules) {
			return true
		}
	}
	return false
}

func (r *renamer) renameMetric(ctx context.Context, metric pmetric.Metric, names *scopeNames) {
	oldName := metric.Name()
	rule := r.match(oldName)
	if rule == nil {
		return
	}
	newName := rule.apply(oldName)
	if !names.claim(newName, oldName) {
		r.clashes.report(ctx, oldName, newName)
		return
	}
	metric.SetName(newName)
}

func (r *Rename) apply(name string) string { return r.To + name[len(r.From):] }

func (r *renamer) match(name string) *Rename {
	for i := range r.rules {
		if strings.HasPrefix(name, r.rules[i].From) {
			return &r.rules[i]
		}
	}
	return nil
}
