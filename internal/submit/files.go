// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"errors"
	"fmt"
	"os"

	"github.com/gym-otelcol/gym-otelcol/internal/authority"
	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/tokenfile"
)

// files looks at the files that the collector will read. Where the job runs on another machine they may be
// there alone, or may be others there, so that what is wrong here is no reason not to submit.
func (c check) files() (warnings []string, reasons []error) {
	cfg := c.cfg
	if !cfg.CollectorActive() || c.host.Name() != "" {
		return nil, nil
	}
	var wrong []error
	if file := cfg.Otel.TokenFile; file != nil {
		if _, err := tokenfile.Read(*file); err != nil {
			wrong = append(wrong, fmt.Errorf("otel.token_file: %w", err))
		}
	}
	if file := cfg.Otel.CAFile; file != nil {
		if _, err := authority.Load(*file); err != nil {
			wrong = append(wrong, fmt.Errorf("otel.ca_file: %w", err))
		}
	}
	if cfg.Compute[0].Value.Type == config.ComputeLocal {
		return nil, wrong
	}
	for _, err := range wrong {
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w; the job will find out whether the compute nodes have it", err)
		}
		warnings = append(warnings, "on this machine "+err.Error())
	}
	return warnings, nil
}
