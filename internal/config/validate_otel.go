// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/installation"
)

func (v *validator) otel() {
	o, p := v.cfg.Otel, path("otel")
	v.token(o, p)
	v.caFile(o, p.key("ca_file"))
	v.atLeastOne(p.key("scrape_interval_seconds"), o.ScrapeIntervalSeconds)
	v.atLeastOne(p.key("health_check_timeout_seconds"), o.HealthCheckTimeoutSeconds)
	if o.GPUMetricsPort != nil {
		v.port(p.key("gpu_metrics_port"), *o.GPUMetricsPort)
	}
	if o.NodeMetricsPort != nil {
		v.port(p.key("node_metrics_port"), *o.NodeMetricsPort)
	}
	if !o.Enabled {
		// Nothing is sent, but the file is still written into the run's directory.
		if u, err := url.Parse(o.Endpoint); err == nil && u.User != nil {
			v.endpoint(o, p.key("endpoint"))
		}
		return
	}
	if strings.TrimSpace(o.Endpoint) != "" {
		v.endpoint(o, p.key("endpoint"))
	}
	v.text(p.key("service_name"), o.ServiceName, noControl)
	if o.Component != "" {
		v.text(p.key("component"), o.Component, notBlank, noControl)
	}
	if complaint := absolutePath(o.Binary); o.Binary != "" && complaint != "" {
		v.addf(p.key("binary"), "%s", complaint).hintf("without the key it is the gym-otelcol beside gym-submit")
	}
	if unknown := installation.Unknown(o.Binary); unknown != "" {
		v.addf(p.key("binary"), "nothing takes the place of %s", unknown).hintf("%s becomes amd64 or arm64 on the node", installation.Arch)
	}
	v.text(p.key("binary"), o.Binary, noControl)
	v.container(o.Container, p.key("container"))
	if o.GymTelemetry && v.cfg.Driver.GymInstall == nil {
		v.addf(p.key("gym_telemetry"), "needs driver.gym_install, which installs Gym with what it exports by").
			hintf("set driver.gym_install, or write false")
	}
	v.spanGroups(o.GymSpanGroups, p.key("gym_span_groups"))
}

// endpoint checks the base URL. What it holds may be a credential, so it is never shown.
func (v *validator) endpoint(o Otel, p keyPath) {
	u, err := url.Parse(o.Endpoint)
	switch {
	case noUnseen(o.Endpoint) != "":
		v.addf(p, "%s", noUnseen(o.Endpoint)).hintf(pastedHint)
	case noControl(o.Endpoint) != "" || noBlanks(o.Endpoint) != "":
		v.addf(p, "holds a blank or a control character")
	case err != nil:
		v.addf(p, "is no URL").hintf("it looks like https://otlp.example.org")
	case u.User != nil:
		v.addf(p, "holds credentials").hintf("the token goes into the variable that otel.token_env names")
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		v.addf(p, "has to begin with https:// or http://")
	case u.Hostname() == "":
		v.addf(p, "names no host").hintf("it looks like https://otlp.example.org")
	case !isPort(u.Port()):
		v.addf(p, "has to name a port from 1 to 65535, or none")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(o.Endpoint, "#"):
		v.addf(p, "has a ? or # part, but has to be a base URL")
	case hasSignal(u.Path):
		v.addf(p, "has to be the base URL, without /v1/traces, /v1/metrics or /v1/logs").
			hintf("the collector adds the path of each signal")
	case strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname()) && !o.Insecure:
		v.addf(p, "would send the token unencrypted").hintf("write https://, or set otel.insecure: true")
	}
}

func isPort(s string) bool {
	n, err := strconv.Atoi(s)
	return s == "" || err == nil && n >= 1 && n <= 65535
}

func hasSignal(path string) bool {
	path = strings.ToLower(strings.TrimRight(path, "/"))
	return slices.ContainsFunc([]string{"/v1/traces", "/v1/metrics", "/v1/logs"}, func(suffix string) bool {
		return strings.HasSuffix(path, suffix)
	})
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// token checks where the token comes from: one place, since the other one would be forgotten and leak.
func (v *validator) token(o Otel, p keyPath) {
	env, file := p.key("token_env"), p.key("token_file")
	if !o.UsesFile() {
		v.tokenEnv(o.TokenEnv, env)
		return
	}
	v.nodePath(*o.TokenFile, file)
	if v.origin.find(env).says() {
		v.addf(file, "excludes otel.token_env, which is set in %s", v.report.place(v.origin.place(env))).
			hintf("keep one of them; null takes away what another file sets")
	}
}

// caFile checks the certificates of a site's own authority.
func (v *validator) caFile(o Otel, p keyPath) {
	if o.CAFile == nil {
		return
	}
	v.nodePath(*o.CAFile, p)
	if u, err := url.Parse(o.Endpoint); err == nil && strings.EqualFold(u.Scheme, "http") {
		v.addf(p, "has no effect, because otel.endpoint begins with http://").hintf("write https:// there, or remove it")
	}
}

// nodePath checks the path of a file on the compute node, which a step in an image gets by a mount.
func (v *validator) nodePath(file string, p keyPath) {
	v.text(p, file, notBlank, noControl, absolutePath)
	if v.cfg.Otel.Container != nil && strings.ContainsAny(file, " ,:") {
		v.addf(p, "holds a blank, a comma or a colon, and can be mounted into no container")
	}
}

// tokenEnv checks the name of the token's variable. Somebody may have put the token itself
// there, so a name that is none is not shown.
func (v *validator) tokenEnv(name string, p keyPath) {
	switch {
	case !isEnvName(name):
		v.addf(p, "is no name of an environment variable").
			hintf("the token itself belongs into the variable, not into the file")
	case isShellVariable(name):
		v.addf(p, "%s means something to the shell, to Slurm or to the programs of the job", name).hintf("name a variable of its own, such as OTEL_TOKEN")
	}
}

// isShellVariable tells variables that the job script cannot take away from its steps, or
// that are not what the submitting shell says.
func isShellVariable(name string) bool {
	for _, prefix := range []string{"BASH", "GO", "GYM_", "LC_", "LD_", "SBATCH_", "SLURM", "SRUN_", "gym_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{
		"_", "CDPATH", "COLUMNS", "DIRSTACK", "ENV", "EUID", "FUNCNAME", "GLOBIGNORE", "GROUPS", "HOME", "HOSTNAME",
		"HOSTTYPE", "IFS", "LANG", "LANGUAGE", "LINENO", "LINES", "LOGNAME", "MACHTYPE", "OLDPWD", "OPTARG", "OPTERR",
		"OPTIND", "OSTYPE", "PATH", "PIPESTATUS", "POSIXLY_CORRECT", "PPID", "PS0", "PS1", "PS2", "PS3", "PS4", "PWD",
		"RANDOM", "REPLY", "SECONDS", "SHELL", "SHELLOPTS", "SHLVL", "SRANDOM", "TERM", "TMOUT", "TMPDIR", "TZ", "UID",
		"USER", "XDG_RUNTIME_DIR",
	}, name)
}
