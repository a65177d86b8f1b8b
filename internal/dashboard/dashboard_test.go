// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/prometheus/prometheus/promql/parser"
)

var update = flag.Bool("update", false, "write the dashboards that are shipped")

const shipped = "../../distribution/dashboards"

func TestShippedDashboardsAreCurrent(t *testing.T) {
	for name, d := range Dashboards() {
		want, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(shipped, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the code makes: run make generate", path)
		}
	}
}

// models reads the shipped files back as strictly as Grafana's own types allow.
func models(t *testing.T) map[string]model {
	t.Helper()
	cog.NewRuntime().RegisterDataqueryVariant(prometheus.VariantConfig())
	all := map[string]model{}
	for name := range Dashboards() {
		data, err := os.ReadFile(filepath.Join(shipped, name))
		if err != nil {
			t.Fatal(err)
		}
		var read model
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := read.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		all[name] = read
	}
	return all
}

// panels are all panels, those in collapsed rows too.
func panels(of model) (flat []sdk.Panel) {
	for _, entry := range of.Panels {
		if entry.RowPanel != nil {
			flat = append(flat, entry.RowPanel.Panels...)
			continue
		}
		flat = append(flat, *entry.Panel)
	}
	return flat
}

func TestLayout(t *testing.T) {
	for name, model := range models(t) {
		ids := map[uint32]string{}
		claim := func(id uint32, title string) {
			if other, taken := ids[id]; taken {
				t.Errorf("%s: %s and %s have the same id %d", name, title, other, id)
			}
			ids[id] = title
		}
		type place struct{ x, y uint32 }
		visible := map[place]string{}
		occupy := func(at map[place]string, pos *sdk.GridPos, title string) {
			if pos.X+pos.W > 24 || pos.W == 0 || pos.H == 0 {
				t.Errorf("%s: %s lies outside the grid: %+v", name, title, *pos)
			}
			for x := pos.X; x < pos.X+pos.W; x++ {
				for y := pos.Y; y < pos.Y+pos.H; y++ {
					if other, taken := at[place{x, y}]; taken {
						t.Fatalf("%s: %s lies on %s", name, title, other)
					}
					at[place{x, y}] = title
				}
			}
		}
		for _, entry := range model.Panels {
			if row := entry.RowPanel; row != nil {
				claim(row.Id, *row.Title)
				occupy(visible, row.GridPos, *row.Title)
				inside := map[place]string{}
				for _, p := range row.Panels {
					claim(*p.Id, *p.Title)
					occupy(inside, p.GridPos, *p.Title)
				}
				continue
			}
			claim(*entry.Panel.Id, *entry.Panel.Title)
			occupy(visible, entry.Panel.GridPos, *entry.Panel.Title)
		}
	}
}

func TestPanelsSayWhatTheyMean(t *testing.T) {
	for name, model := range models(t) {
		flat := panels(model)
		if len(flat) < 60 {
			t.Errorf("%s has only %d panels", name, len(flat))
		}
		for _, p := range flat {
			if p.Description == nil || len(*p.Description) < 15 {
				t.Errorf("%s: %s has no description", name, *p.Title)
			}
			if p.Type == "text" {
				continue
			}
			if p.Datasource == nil || *p.Datasource.Uid != "${datasource}" {
				t.Errorf("%s: %s does not use the chosen data source", name, *p.Title)
			}
			if len(p.Targets) == 0 {
				t.Errorf("%s: %s asks for nothing", name, *p.Title)
			}
			if p.Type != "table" && p.Type != "state-timeline" && p.FieldConfig.Defaults.Unit == nil {
				t.Errorf("%s: %s has no unit", name, *p.Title)
			}
		}
	}
}

// variableName is a variable in a query, as Grafana finds it.
var variableName = regexp.MustCompile(`\$\{?([a-zA-Z_]+)`)

func TestQueriesParseAndUseKnownVariables(t *testing.T) {
	parse := parser.NewParser(parser.Options{})
	for name, model := range models(t) {
		known := map[string]bool{"__rate_interval": true, "__range": true}
		for _, v := range model.Templating.List {
			known[v.Name] = true
		}
		for title, expr := range expressions(model) {
			for _, found := range variableName.FindAllStringSubmatch(expr, -1) {
				if !known[found[1]] {
					t.Errorf("%s: %s uses the unknown variable %s", name, title, found[1])
				}
			}
			expr = strings.NewReplacer("$__rate_interval", "1m", "$__range", "1h").Replace(expr)
			if _, err := parse.ParseExpr(expr); err != nil {
				t.Errorf("%s: %s: %v\n%s", name, title, err, expr)
			}
			for _, filter := range []string{"cluster", "user", "benchmark", "model", "run_id"} {
				if !strings.Contains(expr, filter+`=~"$`+filter+`"`) {
					t.Errorf("%s: %s is not filtered by %s:\n%s", name, title, filter, expr)
				}
			}
		}
	}
}

// expressions are all queries of a dashboard by where they are.
func expressions(of model) map[string]string {
	all := map[string]string{}
	flat := panels(of)
	for _, p := range flat {
		for _, target := range p.Targets {
			query := target.(*prometheus.Dataquery)
			all[fmt.Sprintf("%d %s %s", *p.Id, *p.Title, *query.RefId)] = query.Expr
		}
	}
	for _, a := range of.Annotations.List {
		all["annotation "+a.Name] = *a.Expr
	}
	return all
}

// What is no counter has no rate. Those of the profiling fields are bytes a second, whatever
// type and name dcgm-exporter gives them.
func TestRatesAreOfCounters(t *testing.T) {
	counted := regexp.MustCompile(`^([a-zA-Z0-9_]+_(total|sum|count|bucket)|\{__name__=~"DCGM_FI_DEV_[A-Z_]+\(_total\)\?".*)$`)
	rated := regexp.MustCompile(`\b(?:rate|increase)\(([a-zA-Z0-9_]*)(\{[^}]*\})\[`)
	for name, model := range models(t) {
		found := 0
		for title, expr := range expressions(model) {
			for _, match := range rated.FindAllStringSubmatch(expr, -1) {
				of := match[1]
				if of == "" {
					of = match[2]
				}
				if found++; !counted.MatchString(of) {
					t.Errorf("%s: %s takes a rate of %s", name, title, of)
				}
			}
		}
		if found < 50 {
			t.Errorf("%s has only %d rates", name, found)
		}
	}
}
