package plan

import (
	"fmt"

	"lakeserver/column"
	"lakeserver/expr"
)

// SortKey is one column of an order.
type SortKey struct {
	Column     int // of the input
	Desc       bool
	NullsFirst bool   // as it comes out, Desc considered; NaN goes with NULL
	Collate    string // locale, "" for bytes
}

// Sort orders rows; with Limit it keeps only that many (top-N).
type Sort struct {
	Input Node
	Keys  []SortKey
	Limit int64 // 0: all
}

// Header is the input's.
func (n *Sort) Header() column.Header { return n.Input.Header() }

// Inputs is the one input.
func (n *Sort) Inputs() []Node { return []Node{n.Input} }

// WithInputs sorts another.
func (n *Sort) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe prints the keys.
func (n *Sort) Describe() (string, []string) {
	h := n.Header()
	var d []string
	for _, k := range n.Keys {
		dir := "ASC"
		if k.Desc {
			dir = "DESC"
		}
		d = append(d, fmt.Sprintf("Key: %s %s", h[k.Column].Name, dir))
	}
	if n.Limit > 0 {
		d = append(d, fmt.Sprintf("Limit: %d", n.Limit))
	}
	return "Sorting", d
}

// Fill adds the rows that ORDER BY … WITH FILL misses between the input's rows.
type Fill struct {
	Input Node
	Keys  []FillKey // in the order of the sort
	// Prefix are the sort keys before the first filled one: rows are filled
	// within groups of equal values (use_with_fill_by_sorting_prefix).
	Prefix []SortKey
	// Interpolate computes columns of filled rows from the row before.
	Interpolate []Interpolation
}

// FillKey is one column with its bounds; nil bounds come from the data.
type FillKey struct {
	Key                       SortKey
	From, To, Step, Staleness *expr.Literal // of the column's type; Step may be an Interval
}

// Interpolation sets a column of a filled row to an expression over the
// previous row.
type Interpolation struct {
	Column int
	Expr   expr.Expr
}

// Header is the input's.
func (n *Fill) Header() column.Header { return n.Input.Header() }

// Inputs is the one input.
func (n *Fill) Inputs() []Node { return []Node{n.Input} }

// WithInputs fills another.
func (n *Fill) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe names the node.
func (n *Fill) Describe() (string, []string) { return "Filling", nil }
