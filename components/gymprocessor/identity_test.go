// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor

import (
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

// stamped is what testIdentity adds to every resource, less the instance id.
func stamped() map[string]any {
	return map[string]any{
		"user":         "alice",
		"run_id":       "gym-job-1",
		"slurm_job_id": "0123",
		"benchmark":    "gpqa",
		"cluster":      "mycluster",
		"model":        "Qwen/Qwen3",
		"host.name":    "gpu01",
	}
}

func TestIdentity(t *testing.T) {
	tests := []struct {
		name     string
		sent     map[string]any
		instance string
		kept     map[string]any // of what was sent
	}{
		{name: "nothing sent", sent: map[string]any{}, instance: "0123/gpu01/unknown_service"},
		{
			name:     "own instance id",
			sent:     map[string]any{"service.instance.id": "localhost:8000", "service.name": "s", "process.pid": 5},
			instance: "0123/gpu01/localhost:8000",
			kept:     map[string]any{"service.name": "s", "process.pid": int64(5)},
		},
		{
			name:     "own instance id that is a number",
			sent:     map[string]any{"service.instance.id": 17},
			instance: "0123/gpu01/17",
		},
		{
			name:     "own instance id that is empty",
			sent:     map[string]any{"service.instance.id": "", "service.name": "s"},
			instance: "0123/gpu01/s",
			kept:     map[string]any{"service.name": "s"},
		},
		{
			name:     "override before service name",
			sent:     map[string]any{"service.name.override": "my-driver", "service.name": "routing"},
			instance: "0123/gpu01/my-driver",
			kept:     map[string]any{"service.name.override": "my-driver", "service.name": "routing"},
		},
		{
			name:     "empty override",
			sent:     map[string]any{"service.name.override": "", "service.name": "routing"},
			instance: "0123/gpu01/routing",
			kept:     map[string]any{"service.name.override": "", "service.name": "routing"},
		},
		{
			name:     "service name and pid",
			sent:     map[string]any{"service.name": "routing", "process.pid": 4242},
			instance: "0123/gpu01/routing:4242",
			kept:     map[string]any{"service.name": "routing", "process.pid": int64(4242)},
		},
		{
			name:     "pid alone",
			sent:     map[string]any{"process.pid": 4242},
			instance: "0123/gpu01/unknown_service:4242",
			kept:     map[string]any{"process.pid": int64(4242)},
		},
		{
			name: "what a producer says of the run is overwritten, whatever its type",
			sent: map[string]any{
				"user": "mallory", "run_id": 1, "slurm_job_id": 83, "benchmark": true, "cluster": 1.5,
				"model": []any{"x"}, "host.name": map[string]any{"a": "b"},
			},
			instance: "0123/gpu01/unknown_service",
		},
		{
			name:     "only these keys, in this spelling",
			sent:     map[string]any{"User": "U", "run.id": "r", "host.names": "h", "enduser.id": "e"},
			instance: "0123/gpu01/unknown_service",
			kept:     map[string]any{"User": "U", "run.id": "r", "host.names": "h", "enduser.id": "e"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := stamped()
			want["service.instance.id"] = tt.instance
			maps.Copy(want, tt.kept)
			assert.Equal(t, want, runResource(t, &Config{Identity: testIdentity()}, tt.sent))
		})
	}
}

func TestIdentityWithoutModel(t *testing.T) {
	id := testIdentity()
	id.Model = ""
	sent := map[string]any{"model": "the producer's own"}
	got := runResource(t, &Config{Identity: id}, sent)
	assert.Equal(t, "the producer's own", got["model"], "not stamped, so not touched")
}

func TestIdentityTakesTheMachinesName(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	id := testIdentity()
	id.HostName = ""
	got := runResource(t, &Config{Identity: id}, map[string]any{"host.name": "elsewhere"})
	assert.Equal(t, host, got["host.name"])
	assert.Equal(t, "0123/"+host+"/unknown_service", got["service.instance.id"])
}

func TestWithoutIdentityNothingIsStamped(t *testing.T) {
	sent := map[string]any{"user": "u", "service.instance.id": "i", "service.name": "s"}
	assert.Equal(t, sent, runResource(t, &Config{}, sent))
}

// JSON and OTLP can carry a key twice. Both must go, or a reader may believe the wrong one.
func TestIdentityReplacesRepeatedKeys(t *testing.T) {
	md := scopeOf("a")
	attrs := md.ResourceMetrics().At(0).Resource().Attributes()
	attrs.PutStr("user", "mallory")
	attrs.PutStr("usr2", "mallory")
	attrs.PutStr("service.instance.id", "one")
	attrs.PutStr("service.instance.ix", "two")
	repeated := repeatKeys(t, md, map[string]string{"usr2": "user", "service.instance.ix": "service.instance.id"})

	after := runMetrics(t, &Config{Identity: testIdentity()}, repeated).ResourceMetrics().At(0).Resource().Attributes()
	seen := map[string]int{}
	for key := range after.All() {
		seen[key]++
	}
	for key := range stamped() {
		assert.Equal(t, 1, seen[key], key)
	}
	assert.Equal(t, 1, seen["service.instance.id"])
	id, _ := after.Get("service.instance.id")
	assert.Equal(t, "0123/gpu01/one", id.Str())
}

// Concurrent jobs, hosts and producers must not share a series; see what two of each become.
func TestInstanceIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, job := range []string{"1", "11"} {
		for _, host := range []string{"a", "b"} {
			id := testIdentity()
			id.SlurmJobID, id.HostName = job, host
			for _, sent := range []map[string]any{
				{"service.instance.id": "localhost:8000"},
				{"service.instance.id": "localhost:8001"},
				{"service.name": "s", "process.pid": 1},
				{"service.name": "s", "process.pid": 2},
				{"service.name": "s"},
				{},
			} {
				got := runResource(t, &Config{Identity: id}, sent)["service.instance.id"].(string)
				assert.False(t, seen[got], got)
				seen[got] = true
			}
		}
	}
}

func TestIdentityValidates(t *testing.T) {
	require.NoError(t, confmap.Validate(&Config{Identity: testIdentity()}))
}
