// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package draft writes the first submit file of a user: it finds out what the machine knows,
// and says in comments what only the user can.
package draft

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed run.yaml.tmpl
var source string

var parsed = template.Must(template.New("run.yaml").Funcs(template.FuncMap{
	"q": quote, "list": func(names []string) string { return strings.Join(names, ", ") },
}).Parse(source))

// Draft is what the file is made from.
type Draft struct {
	Facts
	OutputPath string
	// Endpoint and ServiceName are where telemetry goes; empty when nobody said.
	Endpoint, ServiceName string
	// Site says that a site's file has them.
	Site bool
}

// Render writes the file.
func (d Draft) Render() ([]byte, error) {
	var out bytes.Buffer
	if err := parsed.Execute(&out, d); err != nil {
		return nil, fmt.Errorf("write the draft: %w", err)
	}
	return out.Bytes(), nil
}

// quote writes a text so that YAML reads it as that text.
func quote(text string) string {
	plain, err := yaml.Marshal(text)
	if line := strings.TrimSuffix(string(plain), "\n"); err == nil && !strings.Contains(line, "\n") && !strings.Contains(line, "${") {
		return line
	}
	return strconv.Quote(strings.ReplaceAll(text, "${", `\${`))
}
