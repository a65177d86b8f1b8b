// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package answerextension // import "github.com/gym-otelcol/gym-otelcol/components/answerextension"

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/gym-otelcol/gym-otelcol/components/answerextension/internal/metadata"
)

// Config of the extension: there is nothing to set.
type Config struct{}

func createDefaultConfig() component.Config { return &Config{} }

// NewFactory returns the factory of the answer extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func create(context.Context, extension.Settings, component.Config) (extension.Extension, error) {
	return &middleware{}, nil
}
