// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package answerextension // import "github.com/gym-otelcol/gym-otelcol/components/answerextension"

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/gym-otelcol/gym-otelcol/components/answerextension/internal/metadata"
	"github.com/gym-otelcol/gym-otelcol/components/internal/token"
)

// NewFactory returns the factory of the answer extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	m := &middleware{log: set.Logger}
	if path := cfg.(*Config).TokenFile; path != "" {
		m.file = token.At(path)
	}
	return m, nil
}
