// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

func validate(c *Config, d *decoder) {}
