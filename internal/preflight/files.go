// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/submit"
)

// programs looks for what the submission and the commands afterwards call.
func (p *Preflight) programs(ctx context.Context) {
	needed := submit.LocalPrograms
	if p.onSlurm() {
		needed = []string{"sbatch", "srun", "scancel", "squeue", "scontrol"}
	}
	out, said, err := p.shell(ctx, `for p; do command -v "$p" >/dev/null || echo "$p"; done`, needed...)
	switch missing := strings.Fields(out); {
	case err != nil:
		p.add(Finding{"programs", Failed, "cannot look for programs" + p.where() + ": " + reason(said, err), ""})
	case len(missing) > 0:
		p.add(Finding{
			"programs", Failed, strings.Join(missing, ", ") + " not found" + p.where(),
			"run gym-submit where jobs are submitted, or put them on the PATH there (module load slurm, at some sites)",
		})
	default:
		p.add(Finding{"programs", OK, strings.Join(needed, ", ") + " found" + p.where(), ""})
	}
}

// writable makes a directory where the runs would go, takes it away again and prints the
// directory that it was in and the space there. Parents that are missing are made at submission.
const writable = `d=$1
while [ ! -e "$d" ]; do d=$(dirname -- "$d"); done
t=$(mktemp -d -- "$d/.gym-submit-check-XXXXXX") && rmdir -- "$t" || exit 1
df -Pk -- "$d" | awk 'NR == 2 { print $4 }'
printf '%s\n' "$d"`

// roomy is the free space that is not worth a word: a run writes logs and JSON.
const roomy = 1 << 20 // KiB

func (p *Preflight) outputPath(ctx context.Context) {
	path := p.Config.Job.OutputPath
	out, said, err := p.shell(ctx, writable, path)
	if err != nil {
		p.add(Finding{"output path", Failed, fmt.Sprintf("%s cannot be written%s: %s", path, p.where(), reason(said, err)), "change job.output_path, or ask for the right to write there"})
		return
	}
	kib, in, _ := strings.Cut(strings.TrimRight(out, "\n"), "\n")
	free := 0
	if _, err := fmt.Sscan(kib, &free); err == nil && free < roomy {
		p.add(Finding{"output path", Warning, fmt.Sprintf("%s can be written%s, but has only %d MiB left", path, p.where(), free>>10), "make room, or change job.output_path"})
		return
	}
	says := path + " can be written" + p.where()
	if in != path {
		says = fmt.Sprintf("%s can be made in %s%s", path, in, p.where())
	}
	p.add(Finding{"output path", OK, says, ""})
}

// mounts looks for what images get of the host.
func (p *Preflight) mounts(ctx context.Context) {
	keys := map[string]string{} // of the sources
	var sources []string
	note := func(key string, mounts []string) {
		for _, m := range mounts {
			source, _, _ := strings.Cut(m, ":")
			if keys[source] == "" {
				keys[source] = key
				sources = append(sources, source)
			}
		}
	}
	for _, s := range p.Config.Services {
		note("services."+s.Name+".mounts", s.Value.Mounts)
	}
	note("driver.mounts", p.Config.Driver.Mounts)
	if len(sources) == 0 {
		return
	}
	out, said, err := p.shell(ctx, `for p; do [ -e "$p" ] || printf '%s\n' "$p"; done`, sources...)
	if err != nil {
		p.add(Finding{"mounts", Failed, "cannot look for the mounts" + p.where() + ": " + reason(said, err), ""})
		return
	}
	missing := strings.Split(strings.TrimRight(out, "\n"), "\n")
	for _, source := range sources {
		if slices.Contains(missing, source) {
			p.add(Finding{"mounts", Failed, source + " is not there" + p.where(), "change " + keys[source]})
		}
	}
	if out == "" {
		p.add(Finding{"mounts", OK, strings.Join(sources, ", ") + " there" + p.where(), ""})
	}
}
