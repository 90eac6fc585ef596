package plan

import (
	"strconv"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
)

// Aggregate groups rows. Its header: the keys, then the aggregates, then with
// Sets a UInt64 column "__grouping_set" (bit i: key i is aggregated away, as
// GROUPING reads it).
type Aggregate struct {
	Input  Node
	Keys   []int // columns of the input
	Calls  []AggregateCall
	Fields column.Header
	// Sets is the grouping sets as positions in Keys; nil is one set of all keys.
	// Keys that a set leaves out have their type's default.
	Sets [][]int
	// EmptySet says that the set without keys gives a row over no rows too:
	// GROUPING SETS ((), …) does, ROLLUP and CUBE do not.
	EmptySet bool
	// AnyGroups is how many groups are enough, whichever they are; 0: all are
	// wanted (a rule sets it).
	AnyGroups int64
	// Totals wants one more row over everything, kept apart from the result.
	Totals bool
}

// AggregateCall is one aggregate function over columns of the input.
type AggregateCall struct {
	Fn   *functions.BoundAggregate
	Args []int
	Name string
}

// Header is keys and aggregates.
func (n *Aggregate) Header() column.Header { return n.Fields }

// Inputs is the one input.
func (n *Aggregate) Inputs() []Node { return []Node{n.Input} }

// WithInputs groups another.
func (n *Aggregate) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe prints keys and aggregates.
func (n *Aggregate) Describe() (string, []string) {
	var d []string
	for i := range n.Keys {
		d = append(d, "Key: "+n.Fields[i].Name)
	}
	for _, c := range n.Calls {
		d = append(d, "Aggregate: "+c.Name)
	}
	if n.AnyGroups > 0 {
		d = append(d, "Groups: any "+strconv.FormatInt(n.AnyGroups, 10))
	}
	return "Aggregating", d
}

// Window computes window functions: the input's columns, then one a call.
type Window struct {
	Input       Node
	PartitionBy []int
	OrderBy     []SortKey
	Calls       []WindowCall
	Fields      column.Header
}

// WindowCall is one function over the window: exactly one of Fn and Agg.
type WindowCall struct {
	Fn    *functions.BoundWindow
	Agg   *functions.BoundAggregate
	Args  []int
	Name  string
	Frame Frame
}

// FrameMode is the unit of a frame's bounds.
type FrameMode uint8

// The modes.
const (
	FrameRange FrameMode = iota
	FrameRows
	FrameGroups
)

// BoundKind is where a frame begins or ends.
type BoundKind uint8

// The bounds; Preceding and Following have an offset.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Frame is the rows around a row that a window call sees.
type Frame struct {
	Mode                   FrameMode
	Start, End             BoundKind
	StartOffset, EndOffset column.Column // one row: UInt64 for ROWS and GROUPS, number or Interval for RANGE
	StartExpr, EndExpr     *expr.Literal // the same, typed
}

// DefaultFrame is RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW.
var DefaultFrame = Frame{Mode: FrameRange, Start: UnboundedPreceding, End: CurrentRow}

// Header is the input's columns and the calls.
func (n *Window) Header() column.Header { return n.Fields }

// Inputs is the one input.
func (n *Window) Inputs() []Node { return []Node{n.Input} }

// WithInputs takes another.
func (n *Window) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe prints the calls.
func (n *Window) Describe() (string, []string) {
	var d []string
	for _, c := range n.Calls {
		d = append(d, "Function: "+c.Name)
	}
	return "Window", d
}
