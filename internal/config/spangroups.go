// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
)

// spanGroups are the groups of spans that Gym knows, and its presets of them.
var spanGroups = []string{
	"job", "server", "http_client", "rollout", "agent", "model_call", "verify", "sandbox", "concurrency",
	"default", "per_rollout", "all",
}

// spanGroups checks what Gym's servers would only find out in the job. Gym reads the names
// without their case and the blanks around them.
func (v *validator) spanGroups(text string, p keyPath) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case slices.Contains(spanGroups, name):
		case name == "":
			v.addf(p, "names an empty group").hintf("known: %s", strings.Join(spanGroups, ", "))
		case nearest(name, spanGroups) != "":
			v.addf(p, "there is no such group of spans%s", v.origin.find(p).suffix()).hintf("did you mean %s?", nearest(name, spanGroups))
		default:
			v.addf(p, "there is no such group of spans%s", v.origin.find(p).suffix()).
				hintf("known: %s; one of a later Gym goes into driver.env as NEMO_GYM_OTEL_SPAN_GROUPS", strings.Join(spanGroups, ", "))
		}
	}
}
