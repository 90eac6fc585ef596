package plan

import (
	"fmt"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/table"
)

// Scan reads a table. Its header is Columns, in that order.
type Scan struct {
	Table   table.Table
	Name    string // as the query names it, for EXPLAIN and errors
	Columns []int  // indexes in Table.Columns, virtual ones behind
	Fields  column.Header
	// Filter is conjuncts over the table's columns (not over the header).
	// They are hints to the table and conditions to the plan: exec evaluates
	// those that the table did not apply, so Columns must hold what they read.
	Filter []expr.Expr
	Limit  int64 // rows that are enough, 0 for all
	TopN   *table.TopN
	// PreserveOrder wants the table's own order.
	PreserveOrder bool
}

// Header is the columns read.
func (n *Scan) Header() column.Header { return n.Fields }

// Inputs is empty.
func (n *Scan) Inputs() []Node { return nil }

// WithInputs is the scan itself.
func (n *Scan) WithInputs([]Node) Node { return n }

// Describe names the table and what sank into the scan.
func (n *Scan) Describe() (string, []string) {
	var d []string
	for _, f := range n.Filter {
		d = append(d, "Filter: "+f.String())
	}
	if n.Limit > 0 {
		d = append(d, fmt.Sprintf("Limit: %d", n.Limit))
	}
	if n.TopN != nil {
		d = append(d, fmt.Sprintf("TopN: column %d, %d rows", n.TopN.Column, n.TopN.Limit))
	}
	return "ReadFromTable (" + n.Name + ")", d
}

// Values is blocks at hand: SELECT without FROM has one row without columns.
type Values struct {
	Fields column.Header
	Blocks []*column.Block
}

// Header is as given.
func (n *Values) Header() column.Header { return n.Fields }

// Inputs is empty.
func (n *Values) Inputs() []Node { return nil }

// WithInputs is the node itself.
func (n *Values) WithInputs([]Node) Node { return n }

// Describe counts the rows.
func (n *Values) Describe() (string, []string) {
	rows := 0
	for _, b := range n.Blocks {
		rows += b.Rows
	}
	return fmt.Sprintf("ReadFromPreparedSource (%d rows)", rows), nil
}
