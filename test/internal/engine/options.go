// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package engine stands in for an inference engine: it answers chat completions with
// made-up text, and its metrics page, written as vLLM writes it, counts what it really
// served.
package engine

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// Options say how the engine behaves. The zero value serves at once.
type Options struct {
	Model string // the name requests have to use, and the label model_name

	StartDelay   time.Duration // everything answers 503 until this has passed
	NeverHealthy bool          // everything answers 503

	Latency time.Duration // how long a request takes
	Tokens  int           // how many tokens an answer has; 0 means 16

	Optional bool // has the families that real engines have with certain options only

	MetricsHang bool   // the metrics page never answers
	PageLog     string // file to which every served metrics page is appended
	Replay      string // file served as the metrics page instead of the real one
	ReplayLater string // the same page a little later: the counters of Replay go on as they went between the two
	ReplayType  string // content type of Replay
}

// FromEnvironment reads the options that a job passes on in variables, since the
// command line is the one of the real engine.
func FromEnvironment() (Options, error) {
	o := Options{
		NeverHealthy: os.Getenv("ENGINE_NEVER_HEALTHY") == "1",
		Optional:     os.Getenv("ENGINE_OPTIONAL") == "1",
		MetricsHang:  os.Getenv("ENGINE_METRICS_HANG") == "1",
		PageLog:      os.Getenv("ENGINE_PAGE_LOG"),
		Replay:       os.Getenv("ENGINE_REPLAY"),
		ReplayLater:  os.Getenv("ENGINE_REPLAY_LATER"),
		ReplayType:   os.Getenv("ENGINE_REPLAY_TYPE"),
	}
	var err error
	if o.StartDelay, err = EnvDuration("ENGINE_START_DELAY"); err != nil {
		return o, err
	}
	if o.Latency, err = EnvDuration("ENGINE_LATENCY"); err != nil {
		return o, err
	}
	o.Tokens, err = EnvInt("ENGINE_TOKENS", 16)
	return o, err
}

// EnvDuration reads a duration; an unset variable is 0.
func EnvDuration(name string) (time.Duration, error) {
	text := os.Getenv(name)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// EnvInt reads a whole number; an unset variable is fallback.
func EnvInt(name string, fallback int) (int, error) {
	text := os.Getenv(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}
