// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/gym-otelcol/gym-otelcol/components/internal/tally"
	"github.com/gym-otelcol/gym-otelcol/components/internal/token"
)

// Every signal stamps what is in the file at the moment.
func TestAuthorizationFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	cfg := &Config{AuthorizationFile: path}
	require.NoError(t, cfg.Validate())
	lm, lt, ll := &lastMetrics{}, &lastTraces{}, &lastLogs{}
	m, err := NewFactory().CreateMetrics(t.Context(), nopSettings(), cfg, lm)
	require.NoError(t, err)
	tr, err := NewFactory().CreateTraces(t.Context(), nopSettings(), cfg, lt)
	require.NoError(t, err)
	l, err := NewFactory().CreateLogs(t.Context(), nopSettings(), cfg, ll)
	require.NoError(t, err)
	host := componenttest.NewNopHost()
	require.ErrorContains(t, m.Start(t.Context(), host), path+": is not there")
	require.NoError(t, os.WriteFile(path, []byte("first\n"), 0o600))
	for _, p := range []component.Component{m, tr, l} {
		require.NoError(t, p.Start(t.Context(), host))
		t.Cleanup(func() { assert.NoError(t, p.Shutdown(context.Background())) })
	}
	for _, want := range []string{"first", "second"} {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o600))
		token.At(path).Renewed(want)
		md, td, ld := pmetric.NewMetrics(), ptrace.NewTraces(), plog.NewLogs()
		md.ResourceMetrics().AppendEmpty()
		td.ResourceSpans().AppendEmpty()
		ld.ResourceLogs().AppendEmpty().Resource().Attributes().PutStr("authorization", "a producer's")
		require.NoError(t, m.ConsumeMetrics(t.Context(), md))
		require.NoError(t, tr.ConsumeTraces(t.Context(), td))
		require.NoError(t, l.ConsumeLogs(t.Context(), ld))
		expected := map[string]any{"Authorization": want}
		assert.Equal(t, expected, lm.md.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
		assert.Equal(t, expected, lt.td.ResourceSpans().At(0).Resource().Attributes().AsRaw())
		assert.Equal(t, expected, ll.ld.ResourceLogs().At(0).Resource().Attributes().AsRaw())
	}
}

func TestAuthorizationFileIsChecked(t *testing.T) {
	require.ErrorContains(t, (&Config{AuthorizationFile: "token"}).Validate(), "absolute path")
	both := &Config{AuthorizationFile: "/token", Authorization: canary, authorizationGiven: true}
	err := both.Validate()
	require.ErrorContains(t, err, "exclude each other")
	assert.NotContains(t, err.Error(), canary)
}

// What a producer sent counts; what the processor stamped itself and finds again does not.
func TestRemovedAuthorizationIsCounted(t *testing.T) {
	before := tally.AuthorizationRemoved.Load()
	runResource(t, &Config{Identity: testIdentity()}, map[string]any{"authorization": "x", "AUTHORIZATION": "y"})
	assert.Equal(t, before+6, tally.AuthorizationRemoved.Load(), "two attributes in each of three signals")
	runResource(t, &Config{Authorization: canary}, map[string]any{"Authorization": "x"})
	assert.Equal(t, before+6, tally.AuthorizationRemoved.Load())
}

func TestRenameClashesAreTallied(t *testing.T) {
	before := tally.RenameClashes.Load()
	runMetrics(t, &Config{Rename: testRenames()}, scopeOf("vllm:a", "vllm_a"))
	assert.Equal(t, before+1, tally.RenameClashes.Load())
}
