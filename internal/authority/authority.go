// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package authority reads the certificates that a site's own certificate authority goes by.
package authority

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// Load returns the authorities of a file in PEM, and none beside them.
func Load(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, errors.Unwrap(err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", path)
	}
	return pool, nil
}
