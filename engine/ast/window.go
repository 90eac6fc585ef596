package ast

// NullsOrder is where ORDER BY puts NULLs.
type NullsOrder uint8

// The orders of NULLs; the default is NULLS LAST in both directions.
const (
	NullsUnset NullsOrder = iota
	NullsFirst
	NullsLast
)

// OrderItem is one element of ORDER BY. As an Expr it stands only in a table's
// own ORDER BY (a DESC, b).
type OrderItem struct {
	At
	Expr    Expr
	Desc    bool
	Nulls   NullsOrder
	Collate string
	Fill    *Fill // WITH FILL
}

// Fill is WITH FILL [FROM a] [TO b] [STEP c] [STALENESS d].
type Fill struct {
	At
	From, To, Step, Staleness Expr
}

// Interpolate is one element of INTERPOLATE (column [AS expr]); Expr is nil for
// the bare column.
type Interpolate struct {
	At
	Column string
	Expr   Expr
}

// WindowSpec is what stands after OVER: a name alone (Name set, all else
// empty), or a definition in parentheses that may extend the window Base.
type WindowSpec struct {
	At
	Name        string
	Base        string
	PartitionBy []Expr
	OrderBy     []*OrderItem
	Frame       *Frame
}

// NamedWindow is WINDOW name AS (…).
type NamedWindow struct {
	At
	Name string
	Spec *WindowSpec
}

// FrameUnit is ROWS, RANGE or GROUPS.
type FrameUnit uint8

// The frame units.
const (
	Rows FrameUnit = iota
	Range
	Groups
)

// BoundKind is one end of a frame.
type BoundKind uint8

// The kinds of bounds.
const (
	CurrentRow BoundKind = iota
	UnboundedPreceding
	UnboundedFollowing
	Preceding // by Offset
	Following // by Offset
)

// Frame is a window's frame; a frame written without BETWEEN ends at CurrentRow.
type Frame struct {
	At
	Unit                   FrameUnit
	Start, End             BoundKind
	StartOffset, EndOffset Expr
}

func (*OrderItem) expr() {}

func (n *OrderItem) edit(f func(Node) Node) {
	one(&n.Expr, f)
	one(&n.Fill, f)
}

func (n *Fill) edit(f func(Node) Node) {
	one(&n.From, f)
	one(&n.To, f)
	one(&n.Step, f)
	one(&n.Staleness, f)
}
func (n *Interpolate) edit(f func(Node) Node) { one(&n.Expr, f) }

func (n *WindowSpec) edit(f func(Node) Node) {
	many(n.PartitionBy, f)
	many(n.OrderBy, f)
	one(&n.Frame, f)
}
func (n *NamedWindow) edit(f func(Node) Node) { one(&n.Spec, f) }

func (n *Frame) edit(f func(Node) Node) {
	one(&n.StartOffset, f)
	one(&n.EndOffset, f)
}
