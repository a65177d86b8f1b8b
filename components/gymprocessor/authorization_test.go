// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"go.yaml.in/yaml/v3"
)

const canary = "s3cr3t-canary"

func TestAuthorization(t *testing.T) {
	spellings := map[string]any{
		"Authorization": "a", "authorization": "b", "AUTHORIZATION": 3, "aUtHoRiZaTiOn": []any{"d"},
		"authorization2": "kept", "proxy-authorization": "kept", "authorisation": "kept", "Authorization ": "kept",
	}
	kept := map[string]any{
		"authorization2": "kept", "proxy-authorization": "kept", "authorisation": "kept", "Authorization ": "kept",
	}
	tests := []struct {
		name string
		cfg  *Config
		want any // of Authorization
	}{
		{name: "without a token", cfg: &Config{}},
		{name: "with renames only", cfg: &Config{Rename: testRenames()}},
		{name: "with a token", cfg: &Config{Authorization: canary}, want: canary},
		{name: "the token is raw", cfg: &Config{Authorization: ` B$ar "x" `}, want: ` B$ar "x" `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runResource(t, tt.cfg, spellings)
			assert.Equal(t, tt.want, got[authorizationAttribute])
			delete(got, authorizationAttribute)
			assert.Equal(t, kept, got)
		})
	}
}

func TestAuthorizationWithIdentity(t *testing.T) {
	want := stamped()
	want["service.instance.id"] = "0123/gpu01/unknown_service"
	want["Authorization"] = canary
	cfg := &Config{Identity: testIdentity(), Authorization: canary}
	assert.Equal(t, want, runResource(t, cfg, map[string]any{"authorization": "x"}))
}

// Whatever prints a configuration (print-config, a debugger, an error) shows the mask.
func TestAuthorizationIsNotPrinted(t *testing.T) {
	cfg := &Config{Authorization: canary, authorizationGiven: true, Identity: testIdentity()}
	conf := confmap.New()
	require.NoError(t, conf.Marshal(cfg))
	asYAML, err := yaml.Marshal(conf.ToStringMap())
	require.NoError(t, err)
	asJSON, err := json.Marshal(cfg)
	require.NoError(t, err)

	prints := []string{fmt.Sprint(conf.ToStringMap()), string(asYAML), string(asJSON)}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		prints = append(prints, fmt.Sprintf(format, cfg), fmt.Sprintf(format, *cfg))
	}
	for _, printed := range prints {
		assert.NotContains(t, printed, canary)
		assert.NotContains(t, printed, hex.EncodeToString([]byte(canary)))
	}
	assert.Contains(t, string(asYAML), "authorization: '[REDACTED]'")
}

// A token of the wrong type is refused without being quoted.
func TestAuthorizationIsNotInErrors(t *testing.T) {
	for name, value := range map[string]any{
		"list": []any{canary},
		"map":  map[string]any{canary: canary},
		"int":  918273645,
		"bool": true,
	} {
		t.Run(name, func(t *testing.T) {
			conf := confmap.NewFromStringMap(map[string]any{
				"authorization": value,
				"identity":      map[string]any{},
				"rename":        []any{map[string]any{}},
			})
			err := conf.Unmarshal(createDefaultConfig())
			require.ErrorContains(t, err, "authorization")
			assert.NotContains(t, err.Error(), canary)
			assert.NotContains(t, err.Error(), "918273645")
		})
	}
	cfg := &Config{Authorization: canary, Identity: &Identity{}, Rename: []Rename{{}}}
	assert.NotContains(t, confmap.Validate(cfg).Error(), canary)
}

func TestAuthorizationIsNotLogged(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	set := nopSettings()
	set.Logger = zap.New(core)
	cfg := &Config{Authorization: canary, Rename: testRenames()}

	p := newTestMetrics(t, set, cfg, consumertest.NewNop())
	require.NoError(t, p.ConsumeMetrics(t.Context(), scopeOf("vllm:a", "vllm_a")))
	traces, err := NewFactory().CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, traces.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, traces.ConsumeTraces(t.Context(), everyKindOfSpan()))
	require.NoError(t, traces.Shutdown(t.Context()))

	require.NotZero(t, logs.Len(), "the clash at least")
	for _, entry := range logs.All() {
		assert.NotContains(t, fmt.Sprint(entry.Message, entry.ContextMap()), canary)
	}
}
