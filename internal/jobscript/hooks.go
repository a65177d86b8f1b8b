// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// hooks are the commands that run as the job's last act.
type hooks struct {
	Done, Failed   string
	TimeoutSeconds int
}

// hookTimeout is enough to post a message or to queue what comes next, and short enough to be
// waited for while a node is held; hookKill is what a hook gets that does not heed it.
const (
	hookTimeout = 15
	hookKill    = 2
)

func newHooks(cfg config.Hooks) *hooks {
	if cfg == (config.Hooks{}) {
		return nil
	}
	return &hooks{strings.TrimRight(cfg.Done, "\n"), strings.TrimRight(cfg.Failed, "\n"), hookTimeout}
}

// timeLimit is how much earlier a job has to begin its end.
func (h *hooks) timeLimit() time.Duration {
	if h == nil {
		return 0
	}
	return (hookTimeout + hookKill) * time.Second
}
