// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/installation"
)

// siteVariable names the site's file before all other places.
const siteVariable = "GYM_SUBMIT_SITE"

// siteFile reads the file that is merged before the user's own. There need not be one.
func siteFile(e *env) (*config.Source, error) {
	if name := e.getenv(siteVariable); name != "" {
		data, err := config.ReadFile(name)
		if err != nil {
			return nil, usageError{fmt.Errorf("read the site file that %s names: %w", siteVariable, err)}
		}
		return &config.Source{Name: name, Data: data, Site: true}, nil
	}
	program, err := executable()
	if err != nil {
		return nil, nil //nolint:nilerr // a program without a place has no site file beside it
	}
	for _, name := range siteFiles(program) {
		data, err := config.ReadFile(name)
		switch {
		case err == nil:
			return &config.Source{Name: name, Data: data, Site: true}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("read the site file: %w%s", err, keeper(name))
		}
		// Without what it links to, its endpoint and its locks would be gone, and nobody knew.
		if target, err := os.Readlink(name); err == nil {
			return nil, fmt.Errorf("read the site file: %s links to %s, which is not there%s", name, target, keeper(name))
		}
	}
	return nil, nil
}

// siteFiles are the places of the site's file for a program in PREFIX/bin. Where PREFIX is
// one version of several below a directory with the link `current`, what the admin keeps
// for all versions is before what came with this one.
func siteFiles(program string) []string {
	const name = "etc/site.yaml"
	prefix := installation.Prefix(program)
	names := []string{filepath.Join(prefix, name)}
	versions := filepath.Dir(prefix)
	if _, err := os.Lstat(filepath.Join(versions, "current")); err == nil {
		names = append([]string{filepath.Join(versions, name)}, names...)
	}
	return names
}

// keeper says whose file it is, for the end of a message: the user cannot mend it.
func keeper(name string) string {
	info, err := os.Stat(filepath.Dir(name))
	if file, fileErr := os.Stat(name); fileErr == nil {
		info, err = file, nil
	}
	if err != nil {
		return ""
	}
	owner := "another user"
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = "uid " + strconv.FormatUint(uint64(stat.Uid), 10)
		if u, err := user.LookupId(strconv.FormatUint(uint64(stat.Uid), 10)); err == nil {
			owner = u.Username
		}
	}
	return fmt.Sprintf("\n%s is the site's file, not a part of yours; it is kept by %s", name, owner)
}

// siteProblems adds whose file it is to problems of the site's file.
func siteProblems(site *config.Source, err error) error {
	problems, ok := errors.AsType[config.Problems](err)
	if !ok || site == nil {
		return err
	}
	for _, p := range problems {
		if p.File == site.Name {
			return fmt.Errorf("%w%s", err, keeper(site.Name))
		}
	}
	return err
}
