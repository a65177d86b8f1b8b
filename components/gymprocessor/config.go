// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/confmap"
)

// Config of the processor. Every part is optional; without any, the processor only removes resource
// attributes spelled like Authorization.
type Config struct {
	// Rename lists metric name prefixes to replace. The longest prefix that matches a name wins.
	Rename []Rename `mapstructure:"rename,omitempty"`

	// Identity is stamped on every resource.
	Identity *Identity `mapstructure:"identity,omitempty"`

	// Authorization is the value of the resource attribute of that name.
	Authorization configopaque.String `mapstructure:"authorization,omitempty"`

	// AuthorizationFile holds that value instead. It is read again while the collector runs.
	AuthorizationFile string `mapstructure:"authorization_file,omitempty"`

	// authorizationGiven tells "authorization: ${env:UNSET}", which arrives as nothing, from no key at all.
	authorizationGiven bool
}

var (
	_ component.Config    = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
	_ confmap.Validator   = (*Config)(nil)
)

func createDefaultConfig() component.Config {
	return &Config{}
}

// Unmarshal notes which keys are present, because a key without a value is a mistake and a missing key is not.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(c); err != nil {
		return err
	}
	c.authorizationGiven = conf.IsSet(authorizationConfigKey)
	if c.Identity == nil && conf.IsSet(identityConfigKey) {
		c.Identity = &Identity{}
	}
	return nil
}

// Validate checks what concerns the whole block; the parts check themselves.
func (c *Config) Validate() error {
	return errors.Join(validateRenames(c.Rename), c.validateAuthorization())
}
