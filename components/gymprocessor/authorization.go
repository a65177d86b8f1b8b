// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	authorizationConfigKey     = "authorization"
	authorizationFileConfigKey = "authorization_file"

	// authorizationAttribute is the spelling that the backend's proxy looks for.
	authorizationAttribute = "Authorization"
)

// validateAuthorization never quotes the value: even a wrong token is a secret.
func (c *Config) validateAuthorization() error {
	if c.authorizationGiven && strings.TrimSpace(string(c.Authorization)) == "" {
		return errors.New(authorizationConfigKey + " must not be empty: is the environment variable set?")
	}
	if c.AuthorizationFile == "" {
		return nil
	}
	if c.authorizationGiven {
		return errors.New(authorizationConfigKey + " and " + authorizationFileConfigKey + " exclude each other: remove one")
	}
	if !filepath.IsAbs(c.AuthorizationFile) {
		return fmt.Errorf("%s: %q is not an absolute path", authorizationFileConfigKey, c.AuthorizationFile)
	}
	return nil
}

// isAuthorization reports whether a resource attribute is the tenant's in any spelling. HTTP does not tell
// upper from lower case, so a proxy may not either.
func isAuthorization(key string) bool {
	return strings.EqualFold(key, authorizationAttribute)
}
