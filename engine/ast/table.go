package ast

// TableName is [database.]table. Where a part is a query parameter
// ({t:Identifier}), its text is empty and its name is in the Param field.
type TableName struct {
	At
	Database, Table           string
	DatabaseParam, TableParam string
}

// TableExpr is one source in FROM with all that may follow it. Exactly one of
// Name, Function and Query is set.
type TableExpr struct {
	At
	Name     *TableName
	Function *Function
	Query    Query
	Alias    string
	// Columns rename the source's columns: t AS x(a, b).
	Columns []string
	Final   bool
	// Sample and SampleOffset are SAMPLE r OFFSET s.
	Sample, SampleOffset *Ratio
	Version              *TimeTravel
}

// Ratio is a number of SAMPLE as written: numerator, and denominator or nil.
type Ratio struct {
	At
	Numerator, Denominator Expr
}

// TimeTravel is FOR VERSION AS OF x or FOR TIMESTAMP AS OF x.
type TimeTravel struct {
	At
	Timestamp bool
	Value     Expr
}

// JoinKind is the side of a join.
type JoinKind uint8

// The kinds of joins.
const (
	JoinInner JoinKind = iota
	JoinLeft
	JoinRight
	JoinFull
	JoinCross
	JoinComma // FROM a, b
	JoinPaste
)

// JoinStrictness is what a join does with several matches.
type JoinStrictness uint8

// The strictnesses; unset means that join_default_strictness decides (ALL).
const (
	StrictnessUnset JoinStrictness = iota
	JoinAll
	JoinAny
	JoinAsof
	JoinSemi
	JoinAnti
)

// JoinLocality is GLOBAL or LOCAL.
type JoinLocality uint8

// The localities.
const (
	LocalityUnset JoinLocality = iota
	JoinGlobal
	JoinLocal
)

// Join is left JOIN right.
type Join struct {
	At
	Left, Right Table
	Kind        JoinKind
	Strictness  JoinStrictness
	Locality    JoinLocality
	Natural     bool
	On          Expr
	// Using is the list of USING: identifiers, perhaps aliased; UsingAll is USING *.
	Using    []Expr
	UsingAll bool
}

// ArrayJoin is input [LEFT] ARRAY JOIN exprs. Input is nil for
// SELECT … ARRAY JOIN without FROM.
type ArrayJoin struct {
	At
	Input Table
	Left  bool
	Exprs []Expr
}

func (*TableExpr) table() {}
func (*Join) table()      {}
func (*ArrayJoin) table() {}

func (*TableName) edit(func(Node) Node) {}

func (n *TableExpr) edit(f func(Node) Node) {
	one(&n.Name, f)
	one(&n.Function, f)
	one(&n.Query, f)
	one(&n.Sample, f)
	one(&n.SampleOffset, f)
	one(&n.Version, f)
}

func (n *Ratio) edit(f func(Node) Node) {
	one(&n.Numerator, f)
	one(&n.Denominator, f)
}
func (n *TimeTravel) edit(f func(Node) Node) { one(&n.Value, f) }

func (n *Join) edit(f func(Node) Node) {
	one(&n.Left, f)
	one(&n.Right, f)
	one(&n.On, f)
	many(n.Using, f)
}

func (n *ArrayJoin) edit(f func(Node) Node) {
	one(&n.Input, f)
	many(n.Exprs, f)
}
