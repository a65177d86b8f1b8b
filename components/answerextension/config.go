// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package answerextension // import "github.com/gym-otelcol/gym-otelcol/components/answerextension"

import (
	"fmt"
	"path/filepath"

	"go.opentelemetry.io/collector/component"
)

// Config of the extension.
type Config struct {
	// TokenFile holds the bearer token that every request gets in its Authorization header. Without one the
	// client's own header stays.
	TokenFile string `mapstructure:"token_file,omitempty"`
}

func createDefaultConfig() component.Config { return &Config{} }

// Validate leaves the file itself to the start.
func (c *Config) Validate() error {
	if c.TokenFile != "" && !filepath.IsAbs(c.TokenFile) {
		return fmt.Errorf("token_file: %q is not an absolute path", c.TokenFile)
	}
	return nil
}
