// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
	"github.com/gym-otelcol/gym-otelcol/internal/submit"
)

// On is a host as a Machine. Commands get its environment without the token, and without what
// would be options of Slurm's commands.
type On struct {
	Host     host.Host
	TokenEnv string
}

// Name is empty for this machine.
func (o On) Name() string { return o.Host.Name() }

// Run runs a command there, for half a minute at most.
func (o On) Run(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	return o.Host.Run(ctx, host.Command{Args: args, Without: func(name string) bool {
		return name == o.TokenEnv || submit.SpeaksToSlurm(name)
	}})
}

// shell runs a script of sh with arguments.
func (p *Preflight) shell(ctx context.Context, script string, args ...string) (stdout, stderr string, err error) {
	return p.Machine.Run(ctx, append([]string{"sh", "-c", script, "sh"}, args...)...)
}

// reason is why a command failed, in its own words where it has any.
func reason(said string, err error) string {
	if said = oneLine(said); said != "" {
		return said
	}
	return err.Error()
}

// oneLine is a text of several lines as a part of a sentence.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
