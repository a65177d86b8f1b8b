// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"
)

// Place builds the directory here, brings it there under another name and renames it.
func (r *Remote) Place(ctx context.Context, dir string, write func(string) error) error {
	here, err := os.MkdirTemp("", "gym-submit-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(here) }()
	if err := write(here); err != nil {
		return err
	}
	c, err := r.connected(ctx)
	if err != nil {
		return err
	}
	building := unfinished(dir)
	q := quote(building)
	_, err = r.ask(ctx, "create "+building, fmt.Sprintf("%sumask g-w,o-w; mkdir -p -- %s && { [ ! -e %s ] || exit %d; } && mkdir -- %s",
		prologue, quote(path.Dir(dir)), quote(dir), codeExists, q), nil)
	if err != nil {
		return err
	}
	if err = r.send(ctx, c, here, building); err == nil {
		_, err = r.ask(ctx, "rename "+building, fmt.Sprintf("%s[ ! -e %[2]s ] || exit %[3]d; mv -- %[4]s %[2]s", prologue, quote(dir), codeExists, q), nil)
	}
	if err != nil { // what is there is ours, and of no use
		_, _ = r.ask(context.WithoutCancel(ctx), "remove "+building, prologue+"rm -rf -- "+q, nil)
	}
	return err
}

// send copies a tree into a directory that is there and empty. What a login prints spoils
// rsync's protocol, and not the tar stream's.
func (r *Remote) send(ctx context.Context, c *connection, from, to string) error {
	if c.canRsync() {
		if err := c.rsync(ctx, nil, "-r", "--links", from+"/", c.rsyncName(r.name)+":"+to+"/"); err == nil {
			return nil
		}
	}
	archive, err := archiveOf(from)
	if err != nil {
		return err
	}
	script := fmt.Sprintf("%shead -c %d | tar -xzf - -C %s --no-same-owner --no-same-permissions", prologue, len(archive), quote(to))
	_, err = r.ask(ctx, "unpack the job directory", script, archive)
	return err
}

// archiveOf packs a tree. The permissions are what the umask there leaves of them.
func archiveOf(dir string) ([]byte, error) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	out := tar.NewWriter(zipped)
	err := out.AddFS(os.DirFS(dir))
	if err == nil {
		err = out.Close()
	}
	if err == nil {
		err = zipped.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", dir, err)
	}
	return packed.Bytes(), nil
}

// canRsync reports whether both ends have rsync and nothing stands in its way.
func (c *connection) canRsync() bool {
	_, err := exec.LookPath("rsync")
	return err == nil && c.has["rsync"] && !c.banner
}

// rsyncName is how rsync wants a host's name: an address with colons in brackets.
func (c *connection) rsyncName(name string) string {
	user, address, found := strings.Cut(name, "@")
	if !found {
		user, address = "", name
	} else {
		user += "@"
	}
	if strings.Contains(address, ":") {
		address = "[" + address + "]"
	}
	return user + address
}

// rsync runs over the connection that is there. Paths are protected from the shells on both
// sides, and a transfer that stands still is given up.
func (c *connection) rsync(ctx context.Context, out *bytes.Buffer, args ...string) error {
	words := []string{"ssh"}
	for _, o := range c.options {
		words = append(words, "'"+o+"'")
	}
	all := append([]string{
		"--rsh=" + strings.Join(words, " "), "--protect-args", fmt.Sprintf("--timeout=%d", int(Patience.Seconds())),
	}, args...)
	cmd := exec.CommandContext(ctx, "rsync", all...)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	if out != nil {
		cmd.Stdout = out
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("rsync: %w: %s", err, OneLine(said.String()))
	}
	return nil
}
