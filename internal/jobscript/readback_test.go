// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// servedModel evaluates the word behind `vllm serve`.
func servedModel(t *testing.T, file *syntax.File) string {
	t.Helper()
	var model string
	syntax.Walk(file, func(node syntax.Node) bool {
		array, ok := node.(*syntax.ArrayExpr)
		if !ok || len(array.Elems) < 3 || array.Elems[0].Value.Lit() != "vllm" {
			return true
		}
		text, err := expand.Literal(nil, array.Elems[2].Value)
		if err != nil {
			t.Fatal(err)
		}
		model = text
		return true
	})
	return model
}
