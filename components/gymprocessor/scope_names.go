// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// maxPooledNames keeps one freak scope from pinning its memory: a map never shrinks.
const maxPooledNames = 4096

// scopeNames holds the names taken in one scope, each with the name its owner had when it came in.
type scopeNames struct {
	owners map[string]string
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

// get returns the names that the scope came in with, each owned by itself.
func (p *scopeNamesPool) get(metrics pmetric.MetricSlice) *scopeNames {
	names, ok := p.pool.Get().(*scopeNames)
	if !ok {
		names = &scopeNames{owners: make(map[string]string, 2*metrics.Len())}
	}
	for i := range metrics.Len() {
		name := metrics.At(i).Name()
		names.owners[name] = name
	}
	return names
}

func (p *scopeNamesPool) put(names *scopeNames) {
	if len(names.owners) > maxPooledNames {
		return
	}
	clear(names.owners)
	p.pool.Put(names)
}
