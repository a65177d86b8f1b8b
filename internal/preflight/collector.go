// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gym-otelcol/gym-otelcol/internal/installation"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// parts are the components that collector.yaml uses.
type parts struct {
	Build struct {
		Version string `yaml:"version"`
	} `yaml:"buildinfo"`
	Receivers  []part `yaml:"receivers"`
	Processors []part `yaml:"processors"`
	Exporters  []part `yaml:"exporters"`
	Connectors []part `yaml:"connectors"`
	Extensions []part `yaml:"extensions"`
}

type part struct {
	Name string `yaml:"name"`
}

// missing are the components that a job needs and this collector has not.
func (have parts) missing() (names []string) {
	for _, kind := range []struct {
		what string
		have []part
		need []string
	}{
		{"receiver", have.Receivers, []string{"prometheus", "otlp"}},
		{"processor", have.Processors, []string{"resource", "gym"}},
		{"connector", have.Connectors, []string{"journal"}},
		{"exporter", have.Exporters, []string{"otlp_http"}},
		{"extension", have.Extensions, []string{"health_check", "answer", "prompt"}},
	} {
		for _, name := range kind.need {
			if !slices.Contains(kind.have, part{name}) {
				names = append(names, kind.what+" "+name)
			}
		}
	}
	return names
}

// collector runs the collector once, to hear what it is.
func (p *Preflight) collector(ctx context.Context) {
	if image := p.Config.Otel.Container; image != nil {
		p.add(Finding{"collector", Skipped, "it runs in the image " + *image + ", which is not started here: the job's first step asks it", ""})
		return
	}
	binary := run.CollectorBinary(p.Config, p.By)
	kind, said, err := p.shell(ctx, "uname -m")
	if err == nil {
		binary = installation.For(binary, strings.TrimSpace(kind))
	}
	var out string
	if err == nil {
		out, said, err = p.shell(ctx, "exec env -i "+`"$1" components`, binary)
	}
	if err != nil {
		p.add(Finding{
			"collector", Failed, fmt.Sprintf("%s does not run%s: %s", binary, p.where(), reason(said, err)),
			"set otel.binary to a gym-otelcol that the machine jobs are submitted from and the compute nodes can run",
		})
		return
	}
	var have parts
	if err := yaml.Unmarshal([]byte(out), &have); err != nil {
		have = parts{}
	}
	switch missing := have.missing(); {
	case len(missing) > 0:
		p.add(Finding{
			"collector", Failed, fmt.Sprintf("%s lacks the %s", binary, strings.Join(missing, ", the ")),
			"set otel.binary to a gym-otelcol; another collector has not all of its components",
		})
	case have.Build.Version != version.Version:
		p.add(Finding{
			"collector", Warning, fmt.Sprintf("%s is gym-otelcol %s, this is gym-submit %s", binary, have.Build.Version, version.Version),
			"set otel.binary to the gym-otelcol of this version",
		})
	default:
		p.add(Finding{"collector", OK, fmt.Sprintf("%s runs%s, version %s, with all components", binary, p.where(), version.Version), ""})
	}
}
