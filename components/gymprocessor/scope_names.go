// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// maxPooledNames keeps one freak scope from pinning its memory: a map never shrinks.
const maxPooledNames = 4096

// scopeNames holds the names taken in one scope, each with the name its owner had when it came in.
type scopeNames struct {
	owners map[string]string
}

// addOriginals takes the names that the scope came in with, as far as a rule could produce them: every new
// name begins with some rule's To.
func (n *scopeNames) addOriginals(metrics pmetric.MetricSlice, rules []Rename) {
	for i := range metrics.Len() {
		if name := metrics.At(i).Name(); isPossibleResult(name, rules) {
			n.owners[name] = name
		}
	}
}

func isPossibleResult(name string, rules []Rename) bool {
	for i := range rules {
		if strings.HasPrefix(name, rules[i].To) {
			return true
		}
	}
	return false
}

// claim takes a name for the metric that was called oldName. Several metrics of the same old name may share
// the new one: they shared a name before, too.
func (n *scopeNames) claim(newName, oldName string) bool {
	owner, taken := n.owners[newName]
	if taken {
		return owner == oldName
	}
	n.owners[newName] = oldName
	return true
}

// scopeNamesPool lends scopeNames, so that looking for clashes allocates nothing in the long run.
type scopeNamesPool struct {
	pool sync.Pool
}

func (p *scopeNamesPool) get() *scopeNames {
	if names, ok := p.pool.Get().(*scopeNames); ok {
		return names
	}
	return &scopeNames{owners: make(map[string]string)}
}

func (p *scopeNamesPool) put(names *scopeNames) {
	if len(names.owners) > maxPooledNames {
		return
	}
	clear(names.owners)
	p.pool.Put(names)
}
