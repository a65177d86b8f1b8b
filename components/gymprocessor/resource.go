// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/components/internal/tally"
	"github.com/gym-otelcol/gym-otelcol/components/internal/token"
)

// stamp is a resource attribute whose value is the same for everything that passes.
type stamp struct{ key, value string }

// resourceEditor changes the attributes of one resource at a time. It is read-only once built, so one
// serves any number of goroutines.
type resourceEditor struct {
	stamps []stamp

	// instancePrefix goes before the producer's id; empty means that service.instance.id is left alone.
	instancePrefix string

	// tokens is the file with the tenant's token; nil when the token is among the stamps or not stamped at all.
	tokens *token.File

	// counts tells that what is removed here was a producer's own.
	counts bool
}

func newResourceEditor(cfg *Config) (*resourceEditor, error) {
	editor := &resourceEditor{counts: cfg.Authorization == "" && cfg.AuthorizationFile == ""}
	if cfg.Identity != nil {
		if err := editor.addIdentity(cfg.Identity); err != nil {
			return nil, err
		}
	}
	if cfg.Authorization != "" {
		editor.add(authorizationAttribute, string(cfg.Authorization))
	}
	if cfg.AuthorizationFile != "" {
		editor.tokens = token.At(cfg.AuthorizationFile)
	}
	return editor, nil
}

func (e *resourceEditor) addIdentity(id *Identity) error {
	host, err := id.hostName()
	if err != nil {
		return err
	}
	e.add("user", id.User)
	e.add("run_id", id.RunID)
	e.add("slurm_job_id", id.SlurmJobID)
	e.add("benchmark", id.Benchmark)
	e.add("cluster", id.Cluster)
	if id.Model != "" {
		e.add("model", id.Model)
	}
	e.add("host.name", host)
	e.instancePrefix = id.SlurmJobID + "/" + host + "/"
	return nil
}

// open is the start of a processor: one whose token cannot be read does not.
func (e *resourceEditor) open(log *zap.Logger) component.StartFunc {
	return func(context.Context, component.Host) error {
		if e.tokens == nil {
			return nil
		}
		return e.tokens.Open(log)
	}
}

func (e *resourceEditor) close(context.Context) error {
	if e.tokens != nil {
		e.tokens.Close()
	}
	return nil
}

func (e *resourceEditor) add(key, value string) {
	e.stamps = append(e.stamps, stamp{key: key, value: value})
}

// edit removes first and adds afterwards: a producer may have sent a key twice, which overwriting in place
// would leave half changed.
func (e *resourceEditor) edit(ctx context.Context, attrs pcommon.Map) {
	instanceID := e.instanceID(attrs)
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool {
		if isAuthorization(key) {
			if e.counts {
				tally.AuthorizationRemoved.Add(1)
			}
			return true
		}
		return e.replaces(key)
	})
	attrs.EnsureCapacity(attrs.Len() + len(e.stamps) + 2)
	for _, s := range e.stamps {
		attrs.PutStr(s.key, s.value)
	}
	if e.tokens != nil {
		attrs.PutStr(authorizationAttribute, e.tokens.For(ctx))
	}
	if instanceID != "" {
		attrs.PutStr(instanceIDAttribute, instanceID)
	}
}

func (e *resourceEditor) instanceID(attrs pcommon.Map) string {
	if e.instancePrefix == "" {
		return ""
	}
	return e.instancePrefix + producerID(attrs)
}

func (e *resourceEditor) replaces(key string) bool {
	if key == instanceIDAttribute {
		return e.instancePrefix != ""
	}
	return slices.ContainsFunc(e.stamps, func(s stamp) bool { return s.key == key })
}
