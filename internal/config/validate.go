// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
)

// validator checks what the types of the values cannot say. It keeps silent about values
// of which the decoder has complained already: what they hold is only a default.
type validator struct {
	*decoder
	cfg    *Config
	origin *origin

	warnings report
}

// validate reports all findings to d, and leaves warnings in cfg.
func validate(cfg *Config, d *decoder) {
	v := validator{decoder: d, cfg: cfg, origin: cfg.origin, warnings: report{names: d.report.names}}
	v.otel()
	v.services()
	v.compute()
	v.driver()
	v.job()
	v.hooks()
	v.ports()
	v.gpus()
	v.advice()
	v.warnOfUnseen(cfg.origin.root, nil)
	for _, w := range v.warnings.problems() {
		cfg.warnings = append(cfg.warnings, w.String())
	}
}

// ok tells whether the value at p is what the file says.
func (v *validator) ok(p keyPath) bool {
	for i := range len(p) + 1 {
		if v.bad[p[:i].String()] {
			return false
		}
	}
	return true
}

// addf reports a finding about the value at p.
func (v *validator) addf(p keyPath, format string, args ...any) *finding {
	if !v.ok(p) {
		return &finding{}
	}
	return v.report.addf(v.origin.place(p), p, format, args...)
}

// keyf reports a finding about the last key of p itself.
func (v *validator) keyf(p keyPath, format string, args ...any) *finding {
	f := v.addf(p, format, args...)
	if parent := v.origin.find(p[:len(p)-1]); parent != nil {
		if key := parent.find(p[len(p)-1].name); key != nil {
			f.at = key.at
		}
	}
	return f
}

// quote is the value at p as a message may show it.
func (v *validator) quote(p keyPath) string {
	return v.origin.find(p).quote()
}

// warnf adds a warning about the value at p.
func (v *validator) warnf(p keyPath, format string, args ...any) *finding {
	return v.warnings.addf(v.origin.place(p), p, format, args...)
}

// rule complains about a text, or returns nothing.
type rule func(string) string

// text reports the first rule that s breaks.
func (v *validator) text(p keyPath, s string, rules ...rule) bool {
	for _, r := range rules {
		if complaint := r(s); complaint != "" {
			v.addf(p, "%s", complaint)
			return false
		}
	}
	return true
}

// optional is text for a key that may be left out.
func (v *validator) optional(p keyPath, s *string, rules ...rule) {
	if s != nil {
		v.text(p, *s, rules...)
	}
}

func notBlank(s string) string {
	if strings.TrimSpace(s) == "" {
		return "is empty"
	}
	return ""
}

// noControl refuses line ends and whatever else would break a directive or a log line.
func noControl(s string) string {
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return "holds a line end or another control character"
		}
	}
	return ""
}

// noDash refuses what the program behind would take for an option.
func noDash(s string) string {
	if strings.HasPrefix(s, "-") {
		return "begins with a dash, which makes it an option"
	}
	return ""
}

// noQuoting refuses what means something in a line of #SBATCH.
func noQuoting(s string) string {
	if strings.ContainsAny(s, `"'\#`) {
		return `holds one of " ' \ #, which mean something to sbatch`
	}
	return ""
}

func absolutePath(s string) string {
	if !strings.HasPrefix(s, "/") {
		return "has to be an absolute path"
	}
	return ""
}

// atLeastOne checks counts and times.
func (v *validator) atLeastOne(p keyPath, value int) {
	if v.origin.find(p) != nil && value < 1 {
		v.addf(p, "has to be 1 or more, found %s", v.quote(p))
	}
}

func (v *validator) port(p keyPath, value int) {
	if v.origin.find(p) != nil && (value < 1 || value > 65535) {
		v.addf(p, "has to be a port from 1 to 65535, found %s", v.quote(p))
	}
}

// isName tells names that are safe as a part of paths and of other names.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._-", c) < 0 {
			return false
		}
	}
	return s != "" && s != "." && s != ".." && s[0] != '-' && len(s) <= maxName // a dash begins an option
}

// maxName leaves room for the names of log files, which hold a service's name and an id.
const maxName = 100

const nameRule = "a name holds letters, digits, dots, dashes and underscores only, 100 at most, and begins with no dash"
