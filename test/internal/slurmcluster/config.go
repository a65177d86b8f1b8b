// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurmcluster

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// layout are the files of a cluster.
type layout struct{ dir string }

func (l layout) conf() string   { return filepath.Join(l.dir, "slurm.conf") }
func (l layout) gres() string   { return filepath.Join(l.dir, "gres.conf") }
func (l layout) logs() string   { return filepath.Join(l.dir, "log") }
func (l layout) state() string  { return filepath.Join(l.dir, "state") }
func (l layout) spool() string  { return filepath.Join(l.dir, "spool") }
func (l layout) munge() string  { return filepath.Join(l.dir, "munge") }
func (l layout) socket() string { return filepath.Join(l.munge(), "socket") }
func (l layout) key() string    { return filepath.Join(l.munge(), "key") }
func (l layout) gpu(i int) string {
	return filepath.Join(l.dir, fmt.Sprintf("gpu%d", i))
}

func (l layout) log(daemon string) string { return filepath.Join(l.logs(), daemon+".log") }

const clusterName = "test"

// longestSocket is what fits into a socket address.
const longestSocket = 107

// write puts all files of the configuration in place.
func (l layout) write(o Options, a accounting, host string, ports []int) error {
	if len(l.socket()) > longestSocket {
		return fmt.Errorf("slurmcluster: %s is too long for a socket", l.socket())
	}
	directories := []string{l.logs(), l.state(), l.munge()}
	for i := range o.Nodes {
		directories = append(directories, filepath.Join(l.spool(), nodeName(i)))
	}
	for _, dir := range directories {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := l.openToAll(); err != nil {
		return err
	}
	key := make([]byte, 128)
	rand.Read(key) // never fails
	return errors.Join(
		os.WriteFile(l.key(), key, 0o600),
		os.WriteFile(l.conf(), []byte(l.slurmConf(o, a, host, ports)), 0o644),
		l.writeGres(o),
	)
}

// openToAll lets ordinary users through to slurm.conf and to the socket, also where the
// process has a strict umask.
func (l layout) openToAll() error {
	return errors.Join(os.Chmod(l.dir, 0o755), os.Chmod(l.munge(), 0o755))
}

// writeGres makes the GPUs. A GPU without a device file is dropped by slurmd, so each
// gets one that does nothing.
func (l layout) writeGres(o Options) error {
	if o.GPUs < 0 {
		return nil
	}
	const null = 1<<8 | 3
	for i := range o.GPUs {
		if err := syscall.Mknod(l.gpu(i), syscall.S_IFCHR|0o666, null); err != nil {
			return fmt.Errorf("slurmcluster: device %s: %w", l.gpu(i), err)
		}
	}
	line := fmt.Sprintf("Name=gpu File=%s/gpu[0-%d]\n", l.dir, o.GPUs-1)
	return os.WriteFile(l.gres(), []byte(line), 0o644)
}

func nodeName(i int) string { return fmt.Sprintf("n%d", i+1) }

// slurmConf is the whole configuration. Jobs may share a node, scheduling does not
// dawdle, and a requeued job waits seconds instead of minutes (cred_expire).
func (l layout) slurmConf(o Options, a accounting, host string, ports []int) string {
	lines := []string{
		"ClusterName=" + clusterName,
		fmt.Sprintf("SlurmctldHost=%s(127.0.0.1)", host),
		fmt.Sprintf("SlurmctldPort=%d", ports[0]),
		"CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",
		"SlurmUser=root",
		"SlurmdUser=root",
		"AuthType=auth/munge",
		"CredType=cred/munge",
		fmt.Sprintf("AuthInfo=socket=%s,cred_expire=5", l.socket()),
		"StateSaveLocation=" + l.state(),
		"SlurmdSpoolDir=" + l.spool() + "/%n",
		"SlurmctldPidFile=" + l.dir + "/slurmctld.pid",
		"SlurmdPidFile=" + l.dir + "/slurmd-%n.pid",
		"SlurmctldLogFile=" + l.log("slurmctld"),
		"SlurmdLogFile=" + l.log("slurmd-%n"),
		"JobCompType=jobcomp/filetxt",
		"JobCompLoc=" + l.log("jobcomp"),
		"ProctrackType=proctrack/linuxproc",
		"TaskPlugin=task/none",
		"JobAcctGatherType=jobacct_gather/none",
		"MpiDefault=none",
		"SwitchType=switch/none",
		"ReturnToService=2",
		"SelectType=select/cons_tres",
		"SelectTypeParameters=CR_CPU_Memory",
		"SlurmdParameters=config_overrides",
		"SchedulerParameters=batch_sched_delay=1,sched_interval=1,bf_interval=1",
		"PropagateResourceLimits=NONE",
		fmt.Sprintf("KillWait=%d", int(o.KillWait.Seconds())),
	}
	lines = append(lines, a.settings(l)...)
	gres := ""
	if o.GPUs > 0 {
		lines = append(lines, "GresTypes=gpu")
		gres = fmt.Sprintf(" Gres=gpu:%d", o.GPUs)
	}
	for i := range o.Nodes {
		lines = append(lines, fmt.Sprintf(
			"NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=%d%s",
			nodeName(i), host, ports[1+i], o.CPUs, o.Memory, gres))
	}
	lines = append(lines, fmt.Sprintf(
		"PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES DefMemPerNode=%d", o.JobMemory))
	return strings.Join(append(lines, o.Extra...), "\n") + "\n"
}
