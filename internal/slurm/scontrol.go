// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"regexp"

	"github.com/gym-otelcol/gym-otelcol/internal/host"
)

// Show asks the controller for one job that ended a moment ago: squeue does not tell exit
// codes. False when the controller has forgotten it.
func Show(ctx context.Context, h host.Host, id string) (Job, bool, error) {
	out, err := output(ctx, h, "scontrol", "--oneliner", "show", "job", id)
	if err != nil {
		if said(err, "Invalid job id") {
			return Job{}, false, nil
		}
		return Job{}, false, err
	}
	j, ok := parseShown(out)
	return j, ok, nil
}

// shown are the fields of scontrol that matter; none of them can hold a blank but the
// directory, which Slurm puts before StdErr.
var shown = map[string]*regexp.Regexp{
	"id":      regexp.MustCompile(`^JobId=(\d+)`),
	"state":   regexp.MustCompile(` JobState=(\S+)`),
	"reason":  regexp.MustCompile(` Reason=(\S+)`),
	"code":    regexp.MustCompile(` ExitCode=(\d+:\d+)`),
	"elapsed": regexp.MustCompile(` RunTime=(\S+)`),
	"nodes":   regexp.MustCompile(` NodeList=(\S+)`),
	"dir":     regexp.MustCompile(` WorkDir=(.*?) StdErr=`),
}

func parseShown(text string) (Job, bool) {
	get := func(name string) string {
		if m := shown[name].FindStringSubmatch(text); m != nil {
			return meaningful(m[1])
		}
		return ""
	}
	j := Job{
		ID: get("id"), State: get("state"), Reason: get("reason"), Elapsed: get("elapsed"),
		Nodes: get("nodes"), WorkDir: get("dir"),
	}
	j.Code, j.Signal = parseExitCode(get("code"))
	return j, j.ID != "" && j.State != ""
}
