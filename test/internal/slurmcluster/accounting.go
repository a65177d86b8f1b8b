// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// accounting are the ports of slurmdbd and of its database; the zero value is a cluster without.
type accounting struct{ dbd, database int }

// missing says what keeps such a cluster from running here, or returns nil.
func (o Options) missing() error {
	if !o.Accounting {
		return Missing()
	}
	for _, program := range []string{"slurmdbd", "sacctmgr", "mariadbd", "mariadb-install-db", "my_print_defaults"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s not installed", program)
		}
	}
	return Missing()
}

func (l layout) database() string { return filepath.Join(l.dir, "database") }
func (l layout) dbdConf() string  { return filepath.Join(l.dir, "slurmdbd.conf") }

// startAccounting runs a database and slurmdbd, which slurmctld will look for.
func (c *Cluster) startAccounting() error {
	if !c.options.Accounting {
		return nil
	}
	// slurmdbd wants its configuration to itself.
	if err := os.WriteFile(c.files.dbdConf(), []byte(c.files.slurmdbdConf(c.accounting)), 0o600); err != nil {
		return err
	}
	install := exec.Command("mariadb-install-db", "--no-defaults", "--user=root", "--skip-test-db",
		"--datadir="+c.files.database())
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("slurmcluster: mariadb-install-db: %w\n%s", err, out)
	}
	// Without grant tables whoever reaches the port may do anything: it is on loopback and holds test jobs.
	mariadbd := exec.Command("mariadbd", "--no-defaults", "--user=root", "--skip-grant-tables", "--bind-address=127.0.0.1",
		"--datadir="+c.files.database(), "--socket="+c.files.database()+"/socket", fmt.Sprintf("--port=%d", c.accounting.database))
	if err := c.start("mariadbd", mariadbd); err != nil {
		return err
	}
	if err := c.listens(c.accounting.database); err != nil {
		return err
	}
	if err := c.start("slurmdbd", c.Command("slurmdbd", "-D")); err != nil {
		return err
	}
	if err := c.listens(c.accounting.dbd); err != nil {
		return err
	}
	_, err := c.output("sacctmgr", "--immediate", "add", "cluster", clusterName)
	return err
}

// listens waits for a daemon's port, but no longer once one has ended.
func (c *Cluster) listens(port int) error {
	err := wait.Until(startTime, func() error {
		connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return connection.Close()
		}
		if c.dead() == nil {
			return err
		}
		return nil // it will not come any more
	})
	return errors.Join(err, c.dead())
}

func (l layout) slurmdbdConf(a accounting) string {
	return strings.Join([]string{
		"AuthType=auth/munge",
		"AuthInfo=socket=" + l.socket(),
		"DbdHost=localhost",
		fmt.Sprintf("DbdPort=%d", a.dbd),
		"SlurmUser=root",
		"StorageType=accounting_storage/mysql",
		"StorageHost=127.0.0.1",
		fmt.Sprintf("StoragePort=%d", a.database),
		"StorageUser=root",
		"LogFile=" + l.log("slurmdbd"),
		"PidFile=" + l.dir + "/slurmdbd.pid",
	}, "\n") + "\n"
}

// settings are the lines of slurm.conf that lead to slurmdbd.
func (a accounting) settings(l layout) []string {
	if a.dbd == 0 {
		return nil
	}
	return []string{
		"AccountingStorageType=accounting_storage/slurmdbd",
		"AccountingStorageHost=127.0.0.1",
		fmt.Sprintf("AccountingStoragePort=%d", a.dbd),
		"AccountingStoragePass=" + l.socket(),
	}
}

// Forget makes Slurm forget all jobs at once, as it does on its own some time after their end. What is in the
// accounts stays there.
func (c *Cluster) Forget() error {
	at := slices.IndexFunc(c.daemons, func(d *daemon) bool { return d.name == controller })
	if at < 0 {
		return errors.New("slurmcluster: " + controller + " does not run")
	}
	if err := c.daemons[at].stop(); err != nil {
		return err
	}
	c.daemons = slices.Delete(c.daemons, at, at+1)
	if err := c.start(controller, c.Command(controller, "-D", "-c")); err != nil {
		return err
	}
	return c.waitReady()
}
