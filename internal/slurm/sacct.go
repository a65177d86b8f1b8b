// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// ErrNoAccounting says that this cluster keeps no accounts, or does not show them here.
var ErrNoAccounting = errors.New("this cluster has no accounting")

const accountFields = "JobIDRaw,State%50,ExitCode,Elapsed,NodeList%200,Reason%100,WorkDir%2000"

// Accounts asks sacct for jobs by id, in one call.
func Accounts(ctx context.Context, h host.Host, ids []string) (map[string]Job, error) {
	jobs := map[string]Job{}
	if len(ids) == 0 {
		return jobs, nil
	}
	out, err := output(ctx, h, "sacct", "--noheader", "--parsable2", "--allocations", "--format="+accountFields, "--jobs="+strings.Join(ids, ","))
	switch {
	case errors.Is(err, exec.ErrNotFound), err != nil && said(err, "accounting storage is disabled"):
		return nil, ErrNoAccounting
	case err != nil:
		return nil, err
	}
	for line := range strings.Lines(out) {
		if j, ok := parseAccount(strings.TrimRight(line, "\n")); ok {
			jobs[j.ID] = j
		}
	}
	return jobs, nil
}

func parseAccount(line string) (Job, bool) {
	f := strings.SplitN(line, "|", 7)
	if len(f) < 7 || f[0] == "" {
		return Job{}, false
	}
	j := Job{ID: f[0], Elapsed: f[3], Nodes: f[4], Reason: meaningful(f[5]), WorkDir: f[6]}
	j.State, j.By, _ = strings.Cut(f[1], " by ")
	j.Code, j.Signal = parseExitCode(f[2])
	return j, j.State != ""
}

// parseExitCode reads CODE:SIGNAL.
func parseExitCode(text string) (code, signal *int) {
	c, s, _ := strings.Cut(text, ":")
	if n, err := strconv.Atoi(c); err == nil {
		code = &n
	}
	if n, err := strconv.Atoi(s); err == nil && n != 0 {
		signal = &n
	}
	return code, signal
}
