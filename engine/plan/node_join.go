package plan

import (
	"lakeserver/column"
	"lakeserver/expr"
)

// JoinKind says which side's unmatched rows stay.
type JoinKind uint8

// The kinds.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
	PasteJoin
)

// Strictness says how many matches a row may have.
type Strictness uint8

// The strictnesses, as in ClickHouse.
const (
	AllStrictness Strictness = iota
	AnyStrictness
	SemiStrictness
	AntiStrictness
	AsofStrictness
)

// Join joins two inputs. Its header: the left columns, then the right ones;
// the side that may be missing has Nullable types (join_use_nulls) or defaults.
// Semi and anti joins keep both sides' columns, as ClickHouse does.
type Join struct {
	Left, Right         Node
	Kind                JoinKind
	Strictness          Strictness
	LeftKeys, RightKeys []int  // columns of each side, equal types pairwise
	NullSafe            []bool // key i compares with <=>; nil: none
	// Residual are further conditions of ON over left columns followed by
	// right columns.
	Residual []expr.Expr
	// AsofOp is <, <=, > or >= between the last key pair of an ASOF join:
	// LeftKeys[last] op RightKeys[last].
	AsofOp string
	// RightUnused says that of the right side only constants are used above: which
	// of several matches a row is given makes no difference.
	RightUnused bool
	// BuildLeft swaps the hash table to the left side (a rule sets it).
	BuildLeft bool
	Fields    column.Header
}

// Symmetric tells whether the hash table may be over either side: the rows that
// come out are the same.
func (n *Join) Symmetric() bool {
	return n.Kind == InnerJoin && n.Strictness == AllStrictness ||
		n.Kind == LeftJoin && n.RightUnused && (n.Strictness == AnyStrictness || n.Strictness == SemiStrictness || n.Strictness == AntiStrictness)
}

// Header is both sides' columns.
func (n *Join) Header() column.Header { return n.Fields }

// Inputs is left and right.
func (n *Join) Inputs() []Node { return []Node{n.Left, n.Right} }

// WithInputs joins others.
func (n *Join) WithInputs(in []Node) Node { c := *n; c.Left, c.Right = in[0], in[1]; return &c }

// Describe prints kind and keys.
func (n *Join) Describe() (string, []string) {
	kinds := [...]string{"INNER", "LEFT", "RIGHT", "FULL", "CROSS", "PASTE"}
	strict := [...]string{"ALL", "ANY", "SEMI", "ANTI", "ASOF"}
	d := []string{"Type: " + kinds[n.Kind], "Strictness: " + strict[n.Strictness]}
	l, r := n.Left.Header(), n.Right.Header()
	for i := range n.LeftKeys {
		d = append(d, "Clause: "+l[n.LeftKeys[i]].Name+" = "+r[n.RightKeys[i]].Name)
	}
	if n.BuildLeft {
		d = append(d, "Build: left")
	}
	return "Join", d
}
