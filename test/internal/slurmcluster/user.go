// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// As makes cmd run as an ordinary user of this machine, such as nobody. What the command
// reads and writes has to be open to that user: a test's own temporary directory is not,
// UserDir is. The working directory, if cmd has one, is the user's home too.
func (c *Cluster) As(name string, cmd *exec.Cmd) error {
	uid, gid, err := ids(name)
	if err != nil {
		return err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "USER="+name, "LOGNAME="+name)
	if cmd.Dir != "" {
		cmd.Env = append(cmd.Env, "HOME="+cmd.Dir)
	}
	return nil
}

// UserDir makes a directory of the given user inside the cluster's, which every user may
// walk through. It goes when the cluster does.
func (c *Cluster) UserDir(name string) (string, error) {
	uid, gid, err := ids(name)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(c.files.dir, "home-"+name+"-")
	if err != nil {
		return "", err
	}
	return dir, os.Chown(dir, int(uid), int(gid))
}

func ids(name string) (uid, gid uint32, err error) {
	u, err := user.Lookup(name)
	if err != nil {
		return 0, 0, fmt.Errorf("slurmcluster: %w", err)
	}
	uid64, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return 0, 0, err
	}
	gid64, err := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(uid64), uint32(gid64), err
}
