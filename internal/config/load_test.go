// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"testing"
)

func TestLoadUpstream(t *testing.T) {
	for _, f := range []string{"gym-slurm_vllm_1IN.yaml", "gym-slurm_vllm_multi_instance.yaml"} {
		data, err := os.ReadFile("testdata/upstream/" + f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Load([]Source{{f, data}}, []string{"otel.enabled=false"}, Options{LookupEnv: func(s string) (string, bool) { return "4", s == "TP" }})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", *c)
	}
}
