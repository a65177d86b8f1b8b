// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/gym-otelcol/gym-otelcol/components/gymprocessor/internal/metadata"
)

func TestLoadConfig(t *testing.T) {
	tests := []struct {
		id   component.ID
		want *Config
	}{
		{id: component.NewID(metadata.Type), want: &Config{}},
		{
			id: component.NewIDWithName(metadata.Type, "all"),
			want: &Config{
				Rename: []Rename{{From: "vllm:", To: "vllm_"}, {From: "sglang:", To: "sglang_"}},
				Identity: &Identity{
					User:          "alice",
					RunID:         "gym-job-20260101T000000Z-0a1b2c",
					SlurmJobID:    "0123",
					Benchmark:     "gpqa",
					Cluster:       "mycluster",
					Model:         "Qwen/Qwen3",
					HostName:      "gpu01",
					modelGiven:    true,
					hostNameGiven: true,
				},
				Authorization:      "s3cr3t",
				authorizationGiven: true,
			},
		},
		{
			id:   component.NewIDWithName(metadata.Type, "rename"),
			want: &Config{Rename: []Rename{{From: "vllm:", To: "vllm_"}}},
		},
		{
			id: component.NewIDWithName(metadata.Type, "identity"),
			want: &Config{Identity: &Identity{
				User:       "alice",
				RunID:      "gym-job-1",
				SlurmJobID: "4711_3",
				Benchmark:  "gpqa",
				Cluster:    "mycluster",
			}},
		},
		{
			id:   component.NewIDWithName(metadata.Type, "ingest"),
			want: &Config{Authorization: "s3cr3t", authorizationGiven: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.id.String(), func(t *testing.T) {
			cfg, err := loadConfig(t, tt.id)
			require.NoError(t, err)
			require.NoError(t, confmap.Validate(cfg))
			assert.Equal(t, tt.want, cfg)
		})
	}
}

func TestLoadConfigRefuses(t *testing.T) {
	const noJob = "identity: slurm_job_id must not be blank: SLURM_JOB_ID is empty; " +
		"start the collector inside a Slurm job or give the id here"
	required := []string{
		"identity: user must not be blank",
		"run_id must not be blank",
		"slurm_job_id must not be blank: SLURM_JOB_ID is empty",
		"benchmark must not be blank",
		"cluster must not be blank",
	}
	tests := []struct {
		name string
		want []string // all of them in the one error
	}{
		{name: "identity_empty", want: required},
		{name: "identity_empty_map", want: required},
		{name: "identity_blank", want: append([]string{"model must not be blank", "host_name must not be blank"}, required...)},
		{name: "identity_without_job", want: []string{noJob}},
		{name: "identity_empty_model", want: []string{"identity: model must not be blank"}},
		{name: "identity_number", want: []string{"'slurm_job_id' expected type 'string'"}},
		{name: "identity_unknown_key", want: []string{"identity", "invalid keys: usr"}},
		{name: "authorization_null", want: []string{"authorization must not be empty"}},
		{name: "authorization_empty", want: []string{"authorization must not be empty"}},
		{name: "authorization_blank", want: []string{"authorization must not be empty"}},
		{name: "rename_blank", want: []string{
			"rename::0: from must not be blank", "rename::1: to must not be blank",
			"rename::2: from must not be blank", "to must not be blank",
		}},
		{name: "rename_to_itself", want: []string{`rename::0: from and to are both "vllm:": nothing to rename`}},
		{name: "rename_twice", want: []string{`rename::1::from: prefix "vllm:" is already renamed above`}},
		{name: "everything_wrong", want: append([]string{
			"rename::0: to must not be blank", "authorization must not be empty",
		}, required[2:]...)},
		{name: "unknown_key", want: []string{"invalid keys: renames"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg, err := loadConfig(t, component.NewIDWithName(metadata.Type, tt.name))
			if err == nil {
				err = confmap.Validate(cfg)
			}
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// What print-config writes is read again by people who start from it.
func TestMarshalledConfigLoads(t *testing.T) {
	for _, name := range []string{"", "all", "rename", "identity", "ingest"} {
		t.Run(name, func(t *testing.T) {
			cfg, err := loadConfig(t, component.NewIDWithName(metadata.Type, name))
			require.NoError(t, err)
			conf := confmap.New()
			require.NoError(t, conf.Marshal(cfg))

			again := createDefaultConfig()
			require.NoError(t, conf.Unmarshal(again))
			require.NoError(t, confmap.Validate(again))
			if cfg.Authorization != "" {
				again.(*Config).Authorization = cfg.Authorization // printed masked, on purpose
			}
			assert.Equal(t, cfg, again)
		})
	}
}

func loadConfig(t *testing.T, id component.ID) (*Config, error) {
	t.Helper()
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(t, err)
	sub, err := conf.Sub(id.String())
	require.NoError(t, err)
	cfg := NewFactory().CreateDefaultConfig()
	err = sub.Unmarshal(cfg)
	return cfg.(*Config), err
}
