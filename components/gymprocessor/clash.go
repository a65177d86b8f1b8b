// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/components/internal/tally"
)

// maxClashLogs bounds both the log and the memory that not repeating it takes.
const maxClashLogs = 100

// clashReporter makes known which metrics could not be renamed: each one in the counter, each distinct name
// once in the log.
type clashReporter struct {
	logger  *zap.Logger
	counter metric.Int64Counter

	mu     sync.Mutex
	logged map[string]struct{}
}

func newClashReporter(logger *zap.Logger, counter metric.Int64Counter) *clashReporter {
	return &clashReporter{logger: logger, counter: counter, logged: make(map[string]struct{})}
}

func (r *clashReporter) report(ctx context.Context, oldName, newName string) {
	r.counter.Add(ctx, 1)
	tally.RenameClashes.Add(1)
	seen, last := r.remember(oldName)
	if seen {
		return
	}
	r.logger.Warn("metric keeps its name: the new name is already in the scope",
		zap.String("name", oldName), zap.String("new_name", newName))
	if last {
		r.logger.Warn("further metrics that keep their names are counted, not logged",
			zap.Int("logged", maxClashLogs))
	}
}

// remember reports whether the name needs no line of its own, and whether it filled the list.
func (r *clashReporter) remember(name string) (seen, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.logged[name]; known || len(r.logged) >= maxClashLogs {
		return true, false
	}
	r.logged[name] = struct{}{}
	return false, len(r.logged) == maxClashLogs
}
