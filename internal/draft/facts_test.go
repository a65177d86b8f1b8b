// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

func TestNoSlurmAndOneThatDoesNotAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		err            error
		silent, remark string
	}{
		"none":   {fmt.Errorf("run sinfo: %w", exec.ErrNotFound), "", "there is no Slurm here"},
		"silent": {errors.New("sinfo ended with code 1:\n no controller"), "sinfo ended with code 1:; no controller", "Slurm did not answer it"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Find(t.Context(), func(context.Context, ...string) (string, error) { return "", c.err }, "alice")
			if f.Slurm || f.Silent != c.silent {
				t.Errorf("%+v", f)
			}
			text, err := Draft{Facts: f, OutputPath: "/runs"}.Render()
			if err != nil || !strings.Contains(string(text), c.remark) {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
