// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/submit"
)

// Here is this machine. Commands get its environment without the token, and without what
// would be options of Slurm's commands.
type Here struct{ TokenEnv string }

// Name is empty.
func (Here) Name() string { return "" }

// Run runs a command, for half a minute at most.
func (h Here) Run(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name != h.TokenEnv && !submit.SpeaksToSlurm(name) {
			cmd.Env = append(cmd.Env, e)
		}
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	return out.String(), said.String(), err
}

// shell runs a script of sh with arguments.
func (p *Preflight) shell(ctx context.Context, script string, args ...string) (stdout, stderr string, err error) {
	return p.Machine.Run(ctx, append([]string{"sh", "-c", script, "sh"}, args...)...)
}

// oneLine is a text of several lines as a part of a sentence.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// reason is why a command failed, in its own words where it has any.
func reason(said string, err error) string {
	if said = oneLine(said); said != "" {
		return said
	}
	return err.Error()
}
