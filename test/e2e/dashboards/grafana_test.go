// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboards

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"
)

// What Grafana works with, for a data source whose scrape interval is set to that of the
// job, one second: the step of a curve, and the window of a rate, the larger of step plus
// interval and four intervals.
const (
	step         = time.Second
	rateInterval = "4s"
)

// model is the part of a dashboard's JSON that asks questions.
type model struct {
	Panels     []panel `json:"panels"`
	Templating struct {
		List []variable `json:"list"`
	} `json:"templating"`
	Annotations struct {
		List []struct {
			Name string `json:"name"`
			Expr string `json:"expr"`
		} `json:"list"`
	} `json:"annotations"`
}

type panel struct {
	Title   string  `json:"title"`
	Panels  []panel `json:"panels"`
	Targets []struct {
		Expr    string `json:"expr"`
		RefID   string `json:"refId"`
		Instant bool   `json:"instant"`
		Legend  string `json:"legendFormat"`
	} `json:"targets"`
}

type variable struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Multi   bool   `json:"multi"`
	All     string `json:"allValue"`
	Regex   string `json:"regex"`
	Current struct {
		Text any `json:"text"`
	} `json:"current"`
	Definition string `json:"definition"`
}

func load(t *testing.T, name string) model {
	t.Helper()
	data, err := os.ReadFile("../../../distribution/dashboards/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var m model
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// screen is a dashboard that somebody looks at.
type screen struct {
	backend  backend
	from, to time.Time
	values   map[string]string // of the variables
}

var labelValues = regexp.MustCompile(`^label_values\((.*), ([a-zA-Z_]+)\)$`)

// open asks for the values of the variables one after another, as Grafana does, and takes
// All where it is offered, the preset where there is one, and the first value elsewhere.
func open(t *testing.T, m model, b backend, from, to time.Time) *screen {
	t.Helper()
	s := &screen{backend: b, from: from, to: to, values: map[string]string{
		"__rate_interval": rateInterval, "__range": fmt.Sprintf("%ds", int(to.Sub(from).Seconds())),
	}}
	for _, v := range m.Templating.List {
		if v.Type != "query" {
			continue
		}
		query := labelValues.FindStringSubmatch(v.Definition)
		if query == nil {
			t.Fatalf("variable %s asks %q", v.Name, v.Definition)
		}
		offered, err := b.values(s.substitute(query[1]), query[2], from, to)
		if err != nil || len(offered) == 0 {
			t.Fatalf("variable %s offers nothing for %s (%v)", v.Name, s.substitute(query[1]), err)
		}
		preset, _ := v.Current.Text.(string)
		switch {
		case v.Multi:
			s.values[v.Name] = v.All
		case preset != "":
			if !slices.Contains(offered, preset) {
				t.Errorf("variable %s: the preset %s is none of %v", v.Name, preset, offered)
			}
			s.values[v.Name] = preset
		default:
			s.values[v.Name] = offered[0]
		}
	}
	return s
}

var variableName = regexp.MustCompile(`\$\{?([a-zA-Z_]+)\}?`)

func (s *screen) substitute(text string) string {
	return variableName.ReplaceAllStringFunc(text, func(found string) string {
		name := variableName.FindStringSubmatch(found)[1]
		value, ok := s.values[name]
		if !ok {
			panic("unknown variable " + name)
		}
		return value
	})
}

// ask runs a query as its panel does.
func (s *screen) ask(expr string, instant bool) (result, error) {
	expr = s.substitute(expr)
	if instant {
		return s.backend.instant(expr, s.to)
	}
	return s.backend.over(expr, s.from, s.to, step)
}
