// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import "strings"

// quote writes a text for /bin/sh, on one line whatever it holds: a request to a Remote is one
// line. prologue sets gym_nl.
func quote(text string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "\n", `'"$gym_nl"'`).Replace(text) + "'"
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}
