// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"

	"github.com/gym-otelcol/gym-otelcol/components/gymprocessor/internal/metadata"
)

const testVariable = "GYM_TEST_VALUE"

// trickyTexts are what YAML makes numbers, booleans, nulls, dates, maps and comments of.
var trickyTexts = []string{
	"4711", "0123", "00987", "08", "1e3", "0x1F", "0b101", "true", "null", "~", "2024-01-01", "1_000", "1.10",
	"4711_3", "yes", "01:00:00", "a: b", "{x: y}", "#x",
}

func TestTextsFromTheEnvironmentArriveByteForByte(t *testing.T) {
	for _, text := range trickyTexts {
		t.Run(text, func(t *testing.T) {
			t.Setenv(testVariable, text)
			configs := resolve(t, "file:"+filepath.Join("testdata", "environment.yaml"))
			requireTexts(t, configs, text)
		})
	}
}

// The same with the text in the file, quoted as a program writes it.
func TestTextsFromTheFileArriveByteForByte(t *testing.T) {
	for _, text := range trickyTexts {
		t.Run(text, func(t *testing.T) {
			requireTexts(t, resolve(t, "file:"+withVariable(t, fmt.Sprintf("%q", text))), text)
		})
	}
}

// And with the reference on the command line: --config yaml:…
func TestTextsFromTheCommandLineArriveByteForByte(t *testing.T) {
	for _, text := range trickyTexts {
		t.Run(text, func(t *testing.T) {
			t.Setenv(testVariable, text)
			configs := resolve(t, "file:"+withVariable(t, "other"),
				"yaml:processors::gym::identity::slurm_job_id: ${env:"+testVariable+"}")
			got := stampsOf(t, configs[component.NewID(metadata.Type)])
			id, _ := got.Get("slurm_job_id")
			assert.Equal(t, pcommon.ValueTypeStr, id.Type())
			assert.Equal(t, text, id.Str())
		})
	}
}

// An unset variable and an empty one both stop the start, with every key in the one message.
func TestUnsetEnvironmentIsRefused(t *testing.T) {
	for name, set := range map[string]func(*testing.T){
		"unset": func(t *testing.T) { t.Setenv(testVariable, ""); require.NoError(t, os.Unsetenv(testVariable)) },
		"empty": func(t *testing.T) { t.Setenv(testVariable, "") },
		"blank": func(t *testing.T) { t.Setenv(testVariable, "  ") },
	} {
		t.Run(name, func(t *testing.T) {
			set(t)
			configs := resolve(t, "file:"+filepath.Join("testdata", "environment.yaml"))

			err := confmap.Validate(configs[component.NewID(metadata.Type)])
			for _, key := range []string{"user", "run_id", "slurm_job_id", "benchmark", "cluster", "model", "host_name"} {
				assert.ErrorContains(t, err, key+" must not be blank")
			}
			assert.ErrorContains(t, err, "SLURM_JOB_ID is empty")

			err = confmap.Validate(configs[component.NewIDWithName(metadata.Type, "ingest")])
			assert.ErrorContains(t, err, "authorization must not be empty")
		})
	}
}

// The example that people start from must start.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(readme), "```yaml\n")
	require.True(t, found)
	example, _, _ := strings.Cut(after, "```")
	file := filepath.Join(t.TempDir(), "example.yaml")
	require.NoError(t, os.WriteFile(file, []byte(example), 0o600))
	t.Setenv("SLURM_JOB_ID", "0123")
	t.Setenv("OTEL_TOKEN", canary)

	configs := resolve(t, "file:"+file)

	require.Len(t, configs, 2)
	id, _ := stampsOf(t, configs[component.NewID(metadata.Type)]).Get("slurm_job_id")
	assert.Equal(t, "0123", id.Str())
	token, _ := stampsOf(t, configs[component.NewIDWithName(metadata.Type, "ingest")]).Get("Authorization")
	assert.Equal(t, canary, token.Str())
}

// requireTexts checks what leaves the processors, not what their configuration looks like.
func requireTexts(t *testing.T, configs map[component.ID]component.Config, text string) {
	t.Helper()
	identity := stampsOf(t, configs[component.NewID(metadata.Type)])
	for _, key := range []string{"user", "run_id", "slurm_job_id", "benchmark", "cluster", "model", "host.name"} {
		value, found := identity.Get(key)
		require.True(t, found, key)
		assert.Equal(t, pcommon.ValueTypeStr, value.Type(), key)
		assert.Equal(t, text, value.Str(), key)
	}
	id, _ := identity.Get("service.instance.id")
	assert.Equal(t, text+"/"+text+"/unknown_service", id.Str())

	token, found := stampsOf(t, configs[component.NewIDWithName(metadata.Type, "ingest")]).Get("Authorization")
	require.True(t, found)
	assert.Equal(t, pcommon.ValueTypeStr, token.Type())
	assert.Equal(t, text, token.Str())
}

func stampsOf(t *testing.T, cfg component.Config) pcommon.Map {
	t.Helper()
	require.NoError(t, confmap.Validate(cfg))
	md := pmetric.NewMetrics()
	md.ResourceMetrics().AppendEmpty()
	return runMetrics(t, cfg.(*Config), md).ResourceMetrics().At(0).Resource().Attributes()
}

// resolve reads configuration the way the collector does, with the providers of this distribution.
func resolve(t *testing.T, uris ...string) map[component.ID]component.Config {
	t.Helper()
	processors, err := otelcol.MakeFactoryMap(NewFactory())
	require.NoError(t, err)
	provider, err := otelcol.NewConfigProvider(otelcol.ConfigProviderSettings{
		ResolverSettings: confmap.ResolverSettings{
			URIs: uris,
			ProviderFactories: []confmap.ProviderFactory{
				envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(),
			},
		},
	})
	require.NoError(t, err)
	cfg, err := provider.Get(t.Context(), otelcol.Factories{
		Processors: processors,
		Telemetry:  otelconftelemetry.NewFactory(),
	})
	require.NoError(t, err)
	require.NoError(t, provider.Shutdown(t.Context()))
	return cfg.Processors
}

// withVariable writes environment.yaml with this in place of every reference.
func withVariable(t *testing.T, yamlText string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "environment.yaml"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "config.yaml")
	filled := strings.ReplaceAll(string(content), "${env:"+testVariable+"}", yamlText)
	require.NoError(t, os.WriteFile(file, []byte(filled), 0o600))
	return file
}
