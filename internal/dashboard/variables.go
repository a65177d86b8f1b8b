// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"github.com/grafana/grafana-foundation-sdk/go/common"
	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// source is the data source that the user chose.
var source = common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}

// variables are the filters, from the wide to the narrow: each offers what the ones before
// it leave. The metric up is there from the first second of a job on, engine or not.
func variables(many bool) []sdk.VariableModel {
	all := []sdk.VariableModel{{
		Type: sdk.VariableTypeDatasource, Name: "datasource", Label: new("Data source"),
		Query: &sdk.StringOrMap{String: new("prometheus")},
	}}
	filter := `run_id!=""`
	for _, name := range []string{"cluster", "user", "benchmark", "model"} {
		all = append(all, values(name, name, "up{"+filter+"}", name, true, sdk.VariableSortAlphabeticalAsc))
		filter += "," + name + `=~"$` + name + `"`
	}
	// A run's id begins with its time: the newest one comes first.
	return append(all,
		values("run_id", "run", "up{"+filter+"}", "run_id", many, sdk.VariableSortAlphabeticalDesc),
		values("service", "engine service", "up{"+ofRun+`,gym_service!=""}`, "gym_service", true, sdk.VariableSortAlphabeticalAsc),
		bounds("ttft_slo", "TTFT SLO (s)", ttft, "1"), bounds("tpot_slo", "TPOT SLO (s)", tpot, "0.1"),
	)
}

// labelValues is what Grafana's own editor writes for a query of this kind.
const labelValues = 1

func values(name, label, of, key string, many bool, sort sdk.VariableSort) sdk.VariableModel {
	query := "label_values(" + of + ", " + key + ")"
	v := sdk.VariableModel{
		Type: sdk.VariableTypeQuery, Name: name, Label: &label, Datasource: &source,
		Query:      &sdk.StringOrMap{Map: map[string]any{"query": query, "qryType": labelValues, "refId": "PrometheusVariableQueryEditor-VariableQuery"}},
		Definition: &query, Refresh: new(sdk.VariableRefreshOnTimeRangeChanged), Sort: &sort,
		Multi: &many, IncludeAll: &many,
	}
	if many {
		v.AllValue = new(".*")
		v.Current = &sdk.VariableOption{
			Text:  sdk.StringOrArrayOfString{ArrayOfString: []string{"All"}},
			Value: sdk.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
		}
	}
	return v
}

// bounds offers the bucket bounds of a histogram, the only limits with an exact share.
func bounds(name, label, histogram, preset string) sdk.VariableModel {
	v := values(name, label, histogram+"_bucket{"+ofRun+"}", "le", false, sdk.VariableSortNumericalAsc)
	v.Regex = new(`/^[0-9.e-]+$/`)
	text := sdk.StringOrArrayOfString{String: &preset}
	v.Current = &sdk.VariableOption{Text: text, Value: text}
	return v
}

// annotations shade phases of a run in every panel.
func annotations() []sdk.AnnotationQuery {
	var all []sdk.AnnotationQuery
	for i, q := range shading {
		all = append(all, sdk.AnnotationQuery{
			Name: q.legend, Datasource: &source, Enable: i == 0, IconColor: []string{"red", "yellow"}[i],
			Expr: &q.expr, Step: new(step), TitleFormat: &q.legend,
			Target: prometheus.Dataquery{Expr: q.expr, RefId: new("annotation"), LegendFormat: &q.legend, Range: new(true)},
		})
	}
	return all
}

// sibling links the two dashboards; filters and time go along.
func sibling(many bool) sdk.DashboardLink {
	link := sdk.DashboardLink{
		Title: "All runs", Type: sdk.DashboardLinkTypeLink, Icon: "dashboard", Url: new("/d/" + runsUID),
		Tags: []string{}, KeepTime: true,
	}
	if many {
		link.Title, link.Url = "One run", new("/d/"+runUID)
	}
	return link
}
