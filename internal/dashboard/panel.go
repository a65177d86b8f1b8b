// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

// view is how a panel shows its queries.
type view int

const (
	curves view = iota // over time
	stack              // over time, on top of each other
	tile               // the last value, with its course
	total              // one value for all that is shown
	heat               // a histogram over time
	sheet              // a table, a query a column
	states             // over time, as coloured bars
	prose              // text
)

// panel is one panel before it has a place. About says what it means and what to look at
// when it is bad; every panel has it.
type panel struct {
	title, about string
	view         view
	unit         string
	width        uint32 // of 24; 0 is the view's own
	height       uint32
	queries      []query
	limits       []limit // colours from a value on; green below the first
	full         bool    // a share: the axis goes from 0 to 1
	states       []state
	linked       bool // the column run_id leads to the dashboard of one run
}

// query is one expression. In a table the legend is the column's heading and the unit its
// own; a column without a heading is not shown.
type query struct {
	expr, legend string
	unit         string
}

type limit struct {
	from  float64
	color string
}

type state struct {
	value, text, color string
}

// section is a row of panels.
type section struct {
	title     string
	collapsed bool
	panels    []panel
}

// atMost colours a share or a count that should stay low.
func atMost(amber, red float64) []limit { return []limit{{amber, "orange"}, {red, "red"}} }

// atLeast colours a share that should be high.
func atLeast(amber, green float64) []limit {
	return []limit{{-1e9, "red"}, {amber, "orange"}, {green, "green"}}
}
