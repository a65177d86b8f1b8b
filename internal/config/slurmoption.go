// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
)

// ownOptions are set by gym-submit itself: the job depends on each of them.
var ownOptions = []string{
	"account", "array", "chdir", "error", "gpus-per-node", "job-name", "nodes", "ntasks-per-node",
	"open-mode", "output", "parsable", "partition", "signal", "time", "wrap",
}

// otherOptions would keep sbatch from submitting, from returning, or the job's environment
// from being what it has to be.
var otherOptions = []string{"export-file", "help", "test-only", "usage", "version", "wait"}

// realOptions begin like one of ours, and are options of their own nevertheless.
var realOptions = []string{"gpus", "ntasks", "export"}

// slurmOption complains about an option of sbatch that cannot be in extra_args, and hints
// at what to do.
func slurmOption(name string) (hint, complaint string) {
	bare := strings.TrimLeft(name, "-")
	switch {
	case bare != name && isSlurmOption(bare):
		return "write it without the leading dashes: " + bare, "is no name of an option"
	case !isSlurmOption(name):
		return "the long name of an sbatch option, such as qos", "is no name of an option"
	case slices.Contains(realOptions, name):
		return "", ""
	case slices.Contains(otherOptions, name):
		return "remove it", "the job cannot work with this option of sbatch"
	}
	// sbatch takes any unambiguous beginning of an option's name.
	for _, own := range ownOptions {
		if strings.HasPrefix(own, name) {
			return ownHint(own), "gym-submit sets --" + own + " itself"
		}
	}
	return "", ""
}

func isSlurmOption(s string) bool {
	for i := range len(s) {
		letter := s[i] >= 'a' && s[i] <= 'z'
		if !letter && (i == 0 || s[i] != '-' && (s[i] < '0' || s[i] > '9')) {
			return false
		}
	}
	return s != ""
}

func ownHint(option string) string {
	switch option {
	case "account":
		return "set account of the compute resource"
	case "time":
		return "set walltime of the compute resource"
	case "partition", "nodes", "ntasks-per-node", "gpus-per-node":
		return "set " + strings.ReplaceAll(option, "-", "_") + " of the node pool"
	}
	return "remove it"
}
