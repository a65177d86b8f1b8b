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
	s, ok := cfg.Policy()
	if !ok {
		return policy{}, false
	}
	return policy{fmt.Sprintf("http://%s:%d/v1", cfg.Driver.PolicyHost, s.Port), s.ModelName()}, true
}

// defaultOverrides are the words of `gym eval run` that the file need not write: where the
// results go, that a run with holes in it has failed, what Gym keeps as evidence, and the
// policy model.
func defaultOverrides(cfg *config.Config, job Job, benchmark config.Benchmark) []config.Override {
	defaults := []config.Override{
		{Key: "output_jsonl_fpath", Value: path.Join(job.Dir, "artifacts", "rollouts.jsonl")},
		{Key: "require_complete", Value: "true"},
		{Key: "observability_enabled", Value: "true"},
	}
	if benchmark.Observable() {
		defaults = append(defaults, config.Override{Key: "model_call_capture_dir", Value: path.Join(job.Dir, "model-calls")})
	}
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

// modelType is the `--model-type` of `gym eval run`: how Gym speaks with the policy model.
func modelType(cfg *config.Config) string {
	if _, ok := policyOf(cfg); !ok {
		return ""
	}
	return cfg.Driver.PolicyModelType
}

// commandEnv tells a benchmark's own command what `gym eval run` is told by overrides.
func commandEnv(cfg *config.Config, job Job) config.Map[config.EnvVar] {
	env := config.Map[config.EnvVar]{literal("NEMO_GYM_BENCH_DIR", job.Dir)}
	if p, ok := policyOf(cfg); ok {
		env = append(env,
			literal("NEMO_GYM_POLICY_BASE_URL", p.baseURL),
			literal("NEMO_GYM_POLICY_MODEL_NAME", p.modelName),
			literal("NEMO_GYM_POLICY_API_KEY", policyAPIKey))
	}
	return env
}
