// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package jobscript

import (
	"fmt"
	"path"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

// policyAPIKey is what clients send to an engine that asks for none.
const policyAPIKey = "dummy"

// policy is how the driver reaches the model under test.
type policy struct{ baseURL, modelName string }

// policyOf returns the driver's policy model; ok is false when it has none.
func policyOf(cfg *config.Config) (p policy, ok bool) {
	s, ok := cfg.Services.Get(cfg.Driver.PolicyModel)
	if !ok {
		return policy{}, false
	}
	return policy{fmt.Sprintf("http://localhost:%d/v1", s.Port), s.ModelName()}, true
}

// defaultOverrides are the words of `gym eval run` that the file need not write: where the
// results go, and the policy model.
func defaultOverrides(cfg *config.Config, job Job, benchmark config.Benchmark) []config.Override {
	defaults := []config.Override{{Key: "output_jsonl_fpath", Value: path.Join(job.Dir, "artifacts", "rollouts.jsonl")}}
	if p, ok := policyOf(cfg); ok {
		defaults = append(defaults,
			config.Override{Key: "policy_base_url", Value: p.baseURL},
			config.Override{Key: "policy_model_name", Value: p.modelName},
			config.Override{Key: "policy_api_key", Value: policyAPIKey})
	}
	written := map[string]bool{}
	for _, o := range benchmark.Run {
		written[o.Key] = true
	}
	var missing []config.Override
	for _, o := range defaults {
		if !written[o.Key] {
			missing = append(missing, o)
		}
	}
	return missing
}

// commandEnv tells a benchmark's own command what `gym eval run` is told by overrides.
func commandEnv(cfg *config.Config, job Job) config.Map[config.EnvVar] {
	var env config.Map[config.EnvVar]
	add := func(name, value string) {
		env = append(env, config.Entry[config.EnvVar]{Name: name, Value: config.EnvVar{Source: config.EnvLiteral, Value: value}})
	}
	add("NEMO_GYM_BENCH_DIR", job.Dir)
	if p, ok := policyOf(cfg); ok {
		add("NEMO_GYM_POLICY_BASE_URL", p.baseURL)
		add("NEMO_GYM_POLICY_MODEL_NAME", p.modelName)
		add("NEMO_GYM_POLICY_API_KEY", policyAPIKey)
	}
	return env
}
