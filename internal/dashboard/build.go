// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/text"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// build makes Grafana's panel, without a place.
func (p panel) build() (sdk.Panel, error) {
	built, err := p.builder().Build()
	if err != nil {
		return built, err
	}
	built.Title, built.Description = &p.title, &p.about
	if p.view == prose {
		return built, nil
	}
	built.Datasource = &source
	for i, q := range p.queries {
		built.Targets = append(built.Targets, p.target(i, q))
	}
	if built.FieldConfig == nil {
		built.FieldConfig = sdk.NewFieldConfigSource()
	}
	defaults := &built.FieldConfig.Defaults
	if p.unit != "" {
		defaults.Unit = &p.unit
	}
	if p.full {
		defaults.Min, defaults.Max = new(0.0), new(1.0)
	}
	defaults.Thresholds = thresholds(p.limits)
	defaults.Mappings = mappings(p.states)
	if p.view == sheet {
		p.arrange(&built)
	}
	return built, nil
}

func (p panel) builder() cog.Builder[sdk.Panel] {
	switch p.view {
	case tile:
		return number().GraphMode(common.BigValueGraphModeArea)
	case total:
		return number().GraphMode(common.BigValueGraphModeNone)
	case heat:
		return heatmap.NewPanelBuilder().Calculate(false).
			YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
			Color(heatmap.NewHeatmapColorOptionsBuilder().Mode(heatmap.HeatmapColorModeScheme).Scheme("Turbo").Steps(64)).
			Tooltip(heatmap.NewHeatmapTooltipBuilder().Mode(common.TooltipDisplayModeSingle).YHistogram(true))
	case sheet:
		return table.NewPanelBuilder().ShowHeader(true).Filterable(true).
			Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{"sum"}))
	case states:
		return statetimeline.NewPanelBuilder().MergeValues(true).ShowValue(common.VisibilityModeAuto).
			Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom)).
			Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeSingle).Sort(common.SortOrderNone))
	case prose:
		return text.NewPanelBuilder().Mode(text.TextModeMarkdown).Content(deliveryText)
	case stack:
		return lines().FillOpacity(40).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	default:
		return lines().FillOpacity(5)
	}
}

func number() *stat.PanelBuilder {
	return stat.NewPanelBuilder().ColorMode(common.BigValueColorModeValue).TextMode(common.BigValueTextModeValue).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

func lines() *timeseries.PanelBuilder {
	return timeseries.NewPanelBuilder().LineWidth(1).ShowPoints(common.VisibilityModeAuto).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).DisplayMode(common.LegendDisplayModeTable).
			Placement(common.LegendPlacementBottom).Calcs([]string{"mean", "max", "lastNotNull"})).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
}

// target is one query. What is one value for all that is shown is asked for once, at the
// end of it.
func (p panel) target(i int, q query) prometheus.Dataquery {
	once := p.view == sheet || p.view == total
	target := prometheus.Dataquery{
		Datasource: &source, Expr: q.expr, RefId: new(refID(i)), EditorMode: new(prometheus.QueryEditorModeCode),
		Instant: new(once), Range: new(!once), Format: new(prometheus.PromQueryFormatTimeSeries),
	}
	switch p.view {
	case sheet:
		target.Format = new(prometheus.PromQueryFormatTable)
	case heat:
		target.Format = new(prometheus.PromQueryFormatHeatmap)
	}
	if q.legend != "" {
		target.LegendFormat = &q.legend
	}
	return target
}

func refID(i int) string { return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i : i+1] }

// arrange turns the queries of a table into columns: Grafana calls them Value #A and so on.
func (p panel) arrange(built *sdk.Panel) {
	renamed, excluded := map[string]string{}, map[string]bool{"Time": true}
	for i, q := range p.queries {
		column := "Value"
		if len(p.queries) > 1 {
			column = "Value #" + refID(i)
		}
		if q.legend == "" { // the labels are all that there is to see
			excluded[column] = true
			continue
		}
		renamed[column] = q.legend
		built.FieldConfig.Overrides = append(built.FieldConfig.Overrides, override(q.legend, "unit", q.unit))
	}
	if p.linked {
		built.FieldConfig.Overrides = append(built.FieldConfig.Overrides, override("run_id", "links", []map[string]any{{
			"title": "This run", "url": fmt.Sprintf("/d/%s?var-run_id=${__value.raw}&${datasource:queryparam}&${__url_time_range}", runUID),
		}}))
		built.Options.(*table.Options).SortBy = []common.TableSortByFieldState{{DisplayName: "run_id", Desc: new(true)}}
	}
	built.Transformations = []sdk.DataTransformerConfig{
		{Id: "merge", Options: map[string]any{}},
		{Id: "organize", Options: map[string]any{"renameByName": renamed, "excludeByName": excluded, "indexByName": map[string]int{}}},
	}
}

func override(column, property string, value any) sdk.DashboardFieldConfigSourceOverrides {
	return sdk.DashboardFieldConfigSourceOverrides{
		Matcher:    sdk.MatcherConfig{Id: "byName", Options: column},
		Properties: []sdk.DynamicConfigValue{{Id: property, Value: value}},
	}
}

func thresholds(limits []limit) *sdk.ThresholdsConfig {
	steps := []sdk.Threshold{{Color: "green"}}
	for _, l := range limits {
		steps = append(steps, sdk.Threshold{Value: new(l.from), Color: l.color})
	}
	return &sdk.ThresholdsConfig{Mode: sdk.ThresholdsModeAbsolute, Steps: steps}
}

func mappings(all []state) []sdk.ValueMapping {
	if len(all) == 0 {
		return nil
	}
	results := map[string]sdk.ValueMappingResult{}
	for i, s := range all {
		results[s.value] = sdk.ValueMappingResult{Text: new(s.text), Color: new(s.color), Index: new(int32(i))}
	}
	return []sdk.ValueMapping{{ValueMap: &sdk.ValueMap{Type: sdk.MappingTypeValueToText, Options: results}}}
}
