// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// Config of the connector. One instance serves all three signals; it has its directory to itself.
type Config struct {
	// Directory holds <signal>.jsonl and delivery.json. It has to exist.
	Directory string `mapstructure:"directory"`

	// RunID, JobID and Endpoint are told in delivery.json and used for nothing else.
	RunID    string `mapstructure:"run_id"`
	JobID    string `mapstructure:"job_id"`
	Endpoint string `mapstructure:"endpoint"`

	// CacheSize bounds the memory for batches of all signals that wait, in bytes.
	CacheSize int `mapstructure:"cache_size"`
	// RequestSize is how many bytes of lines are merged into one request.
	RequestSize int `mapstructure:"request_size"`
	// MaxLine is the longest line; a larger batch becomes several.
	MaxLine int `mapstructure:"max_line"`

	// SyncInterval is the most that a node which dies takes with it.
	SyncInterval time.Duration `mapstructure:"sync_interval"`
	// StatusInterval is how often delivery.json is replaced.
	StatusInterval time.Duration `mapstructure:"status_interval"`
	// StopTimeout is how long sending goes on after the process was told to stop.
	StopTimeout time.Duration `mapstructure:"stop_timeout"`
}

func createDefaultConfig() component.Config {
	return &Config{
		CacheSize:      64 << 20,
		RequestSize:    4 << 20,
		MaxLine:        otlpfile.MaxLine,
		SyncInterval:   5 * time.Second,
		StatusInterval: 5 * time.Second,
		StopTimeout:    20 * time.Second,
	}
}

// Validate returns every problem, each with its key.
func (c *Config) Validate() error {
	var problems []error
	if strings.TrimSpace(c.Directory) == "" {
		problems = append(problems, errors.New("directory: is required"))
	} else if !filepath.IsAbs(c.Directory) {
		problems = append(problems, fmt.Errorf("directory: %q is not an absolute path", c.Directory))
	}
	for _, v := range []struct {
		key       string
		got, from int
		to        int
	}{
		{"cache_size", c.CacheSize, 1 << 20, 1 << 40},
		{"request_size", c.RequestSize, 1 << 10, otlpfile.MaxLine},
		{"max_line", c.MaxLine, 1 << 10, otlpfile.MaxLine},
	} {
		if v.got < v.from || v.got > v.to {
			problems = append(problems, fmt.Errorf("%s: is %d, must be from %d to %d", v.key, v.got, v.from, v.to))
		}
	}
	for _, v := range []struct {
		key string
		got time.Duration
	}{{"sync_interval", c.SyncInterval}, {"status_interval", c.StatusInterval}, {"stop_timeout", c.StopTimeout}} {
		if v.got < 10*time.Millisecond {
			problems = append(problems, fmt.Errorf("%s: is %v, must be at least 10ms", v.key, v.got))
		}
	}
	return errors.Join(problems...)
}
