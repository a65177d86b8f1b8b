// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

var (
	errWalltimeForm = errors.New("is not a time of Slurm: write MM, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS or UNLIMITED")
	errWalltimeZero = errors.New("has to be more than zero")
	errWalltimeLong = errors.New("is too long")
)

// ParseWalltime reads a time limit as sbatch does. UNLIMITED and INFINITE give 0.
func ParseWalltime(s string) (time.Duration, error) {
	if strings.EqualFold(s, "UNLIMITED") || strings.EqualFold(s, "INFINITE") {
		return 0, nil
	}
	days, rest, hasDays := strings.Cut(s, "-")
	if !hasDays {
		days, rest = "0", s
	}
	parts := strings.Split(rest, ":")
	// What the first part counts depends on how many follow: MM, MM:SS, HH:MM:SS; behind
	// days the first is always hours.
	units := [][]time.Duration{
		{time.Minute},
		{time.Minute, time.Second},
		{time.Hour, time.Minute, time.Second},
	}
	if len(parts) > len(units) {
		return 0, errWalltimeForm
	}
	unit := units[len(parts)-1]
	if hasDays {
		unit = units[2]
	}
	const day = 24 * time.Hour
	total, err := times(days, day)
	for i, part := range parts {
		d, partErr := times(part, unit[i])
		total += d
		err = errors.Join(err, partErr)
	}
	switch {
	case errors.Is(err, errWalltimeForm):
		return 0, errWalltimeForm
	case err != nil, total > maxWalltime:
		return 0, errWalltimeLong
	case total == 0:
		return 0, errWalltimeZero
	}
	return total, nil
}

// maxWalltime is what fits into the seconds that Slurm keeps in 32 bits.
const maxWalltime = (1<<31 - 1) * time.Second

// times multiplies a number of a unit, which sbatch wants in digits alone.
func times(number string, unit time.Duration) (time.Duration, error) {
	if number == "" || digits(number) != len(number) {
		return 0, errWalltimeForm
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > int64(maxWalltime/unit) {
		return 0, errWalltimeLong
	}
	return time.Duration(n) * unit, nil
}
