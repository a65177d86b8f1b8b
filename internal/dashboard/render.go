// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"

	sdk "github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// model is Grafana's older model: every Grafana in use reads it, the newer one only some.
type model = sdk.Dashboard //nolint:staticcheck // see above

// gridWidth is the width of Grafana's grid.
const gridWidth = 24

// JSON is the dashboard as Grafana reads it.
func (d Dashboard) JSON() ([]byte, error) {
	model, err := d.model()
	if err != nil {
		return nil, fmt.Errorf("build dashboard %s: %w", d.title, err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(model); err != nil {
		return nil, fmt.Errorf("encode dashboard %s: %w", d.title, err)
	}
	return out.Bytes(), nil
}

// model is the dashboard in the types of Grafana.
func (d Dashboard) model() (*model, error) {
	model := sdk.NewDashboard()
	model.Uid, model.Title, model.Description = &d.uid, &d.title, &d.about
	model.Tags = []string{"gym-otelcol", "vllm"}
	model.GraphTooltip = new(sdk.DashboardCursorSyncCrosshair)
	model.Time = &sdk.DashboardDashboardTime{From: d.from, To: "now"}
	model.Refresh = new("30s")
	model.Templating.List = variables(d.many)
	model.Annotations.List = annotations()
	model.Links = []sdk.DashboardLink{sibling(d.many)}
	l := layout{}
	for _, s := range d.sections {
		row, below, err := l.section(s)
		if err != nil {
			return nil, err
		}
		model.Panels = append(model.Panels, sdk.PanelOrRowPanel{RowPanel: row})
		for i := range below {
			model.Panels = append(model.Panels, sdk.PanelOrRowPanel{Panel: &below[i]})
		}
	}
	return model, model.Validate()
}

// layout places panels from left to right and from top to bottom.
type layout struct {
	id, x, y, height uint32
}

// section places a row. The panels of a collapsed one are inside it, those of an open one
// below.
func (l *layout) section(s section) (row *sdk.RowPanel, below []sdk.Panel, err error) {
	l.lineBreak()
	l.id++
	row = sdk.NewRowPanel()
	row.Id, row.Title, row.Collapsed = l.id, &s.title, s.collapsed
	row.GridPos = &sdk.GridPos{Y: l.y, W: gridWidth, H: 1}
	row.Panels = []sdk.Panel{}
	l.y++
	inside := *l
	for _, p := range s.panels {
		built, err := p.build()
		if err != nil {
			return nil, nil, fmt.Errorf("panel %s: %w", p.title, err)
		}
		inside.place(&built, p)
		below = append(below, built)
	}
	inside.lineBreak()
	l.id = inside.id
	if s.collapsed {
		row.Panels = below
		return row, nil, nil
	}
	*l = inside
	return row, below, nil
}

func (l *layout) place(built *sdk.Panel, p panel) {
	width, height := p.size()
	if l.x+width > gridWidth {
		l.lineBreak()
	}
	l.id++
	built.Id = new(l.id)
	built.GridPos = &sdk.GridPos{X: l.x, Y: l.y, W: width, H: height}
	l.x += width
	l.height = max(l.height, height)
}

func (l *layout) lineBreak() {
	l.x, l.y, l.height = 0, l.y+l.height, 0
}

func (p panel) size() (width, height uint32) {
	switch p.view {
	case tile, total:
		width, height = 3, 4
	case sheet, states:
		width, height = gridWidth, 6
	case prose:
		width, height = 6, 8
	default:
		width, height = 8, 8
	}
	if p.width > 0 {
		width = p.width
	}
	if p.height > 0 {
		height = p.height
	}
	return width, height
}
