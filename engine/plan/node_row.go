package plan

import (
	"fmt"
	"strings"

	"lakeserver/column"
	"lakeserver/expr"
)

// Filter keeps the rows for which every condition is true (not 0, not NULL).
type Filter struct {
	Input      Node
	Conditions []expr.Expr // conjuncts, UInt8-like or Nullable of it
	// Having marks HAVING, to which WITH TOTALS and its settings refer.
	Having bool
}

// Header is the input's.
func (n *Filter) Header() column.Header { return n.Input.Header() }

// Inputs is the one input.
func (n *Filter) Inputs() []Node { return []Node{n.Input} }

// WithInputs filters another.
func (n *Filter) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe prints the conditions.
func (n *Filter) Describe() (string, []string) {
	return "Filter", printed("Condition: ", n.Conditions)
}

// Project computes columns.
type Project struct {
	Input  Node
	Exprs  []expr.Expr
	Fields column.Header // one for each expression
}

// Header is the computed columns.
func (n *Project) Header() column.Header { return n.Fields }

// Inputs is the one input.
func (n *Project) Inputs() []Node { return []Node{n.Input} }

// WithInputs projects another.
func (n *Project) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe prints the expressions.
func (n *Project) Describe() (string, []string) { return "Expression", printed("", n.Exprs) }

// ArrayJoin repeats each row for the elements of arrays (or maps, as tuples).
// Columns that are joined change from Array(T) to T; the others are repeated.
type ArrayJoin struct {
	Input   Node
	Columns []int // array columns of the input, replaced in place
	Left    bool  // rows with empty arrays stay, with defaults
	Fields  column.Header
	// Unaligned lets arrays differ in length (enable_unaligned_array_join).
	Unaligned bool
}

// Header has element types at Columns.
func (n *ArrayJoin) Header() column.Header { return n.Fields }

// Inputs is the one input.
func (n *ArrayJoin) Inputs() []Node { return []Node{n.Input} }

// WithInputs joins another.
func (n *ArrayJoin) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe names the arrays.
func (n *ArrayJoin) Describe() (string, []string) {
	var names []string
	for _, c := range n.Columns {
		names = append(names, n.Fields[c].Name)
	}
	kind := "ArrayJoin"
	if n.Left {
		kind = "LeftArrayJoin"
	}
	return kind + " (" + strings.Join(names, ", ") + ")", nil
}

// Limit keeps rows [Offset, Offset+Limit). Negative values count from the end.
type Limit struct {
	Input         Node
	Limit, Offset int64
	HasLimit      bool
	// WithTies also keeps rows equal to the last one by the input's sort keys.
	WithTies []SortKey
	// LimitFraction and OffsetFraction, when in (0, 1), are shares of the rows.
	LimitFraction, OffsetFraction float64
}

// Header is the input's.
func (n *Limit) Header() column.Header { return n.Input.Header() }

// Inputs is the one input.
func (n *Limit) Inputs() []Node { return []Node{n.Input} }

// WithInputs limits another.
func (n *Limit) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe gives the numbers.
func (n *Limit) Describe() (string, []string) {
	return "Limit", []string{fmt.Sprintf("Limit: %d, Offset: %d", n.Limit, n.Offset)}
}

// LimitBy keeps rows [Offset, Offset+Limit) of each group of equal Columns.
type LimitBy struct {
	Input         Node
	Columns       []int
	Limit, Offset int64
}

// Header is the input's.
func (n *LimitBy) Header() column.Header { return n.Input.Header() }

// Inputs is the one input.
func (n *LimitBy) Inputs() []Node { return []Node{n.Input} }

// WithInputs limits another.
func (n *LimitBy) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe gives the numbers.
func (n *LimitBy) Describe() (string, []string) {
	return "LimitBy", []string{fmt.Sprintf("Limit: %d, Offset: %d, Columns: %v", n.Limit, n.Offset, n.Columns)}
}

// Distinct keeps the first row of each group of equal Columns (all when nil).
type Distinct struct {
	Input   Node
	Columns []int
}

// Header is the input's.
func (n *Distinct) Header() column.Header { return n.Input.Header() }

// Inputs is the one input.
func (n *Distinct) Inputs() []Node { return []Node{n.Input} }

// WithInputs takes another.
func (n *Distinct) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Describe names the node.
func (n *Distinct) Describe() (string, []string) { return "Distinct", nil }

func printed(prefix string, exprs []expr.Expr) []string {
	out := make([]string, len(exprs))
	for i, e := range exprs {
		out[i] = prefix + e.String()
	}
	return out
}
