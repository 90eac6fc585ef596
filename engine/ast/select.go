package ast

// Select is one SELECT without set operations.
type Select struct {
	At
	With      []*WithItem
	Recursive bool // WITH RECURSIVE
	Distinct  bool
	// DistinctOn are the expressions of DISTINCT ON (…): first row of each.
	DistinctOn []Expr
	Columns    []Expr
	From       Table // nil: system.one
	Prewhere   Expr
	Where      Expr
	GroupBy    *GroupBy
	Having     Expr
	Windows    []*NamedWindow
	Qualify    Expr
	OrderBy    []*OrderItem
	// OrderByAll is ORDER BY ALL; its direction and so on stand in OrderAll.
	OrderByAll bool
	OrderAll   *OrderItem // Expr is nil
	// Interpolate is the list of INTERPOLATE (…); HasInterpolate without a list
	// means all columns.
	Interpolate    []*Interpolate
	HasInterpolate bool
	LimitBy        *LimitBy
	Limit          Expr // also TOP n and FETCH FIRST n
	Offset         Expr
	WithTies       bool
	Settings       []*Setting
}

// WithItem is one element of WITH: a common table expression (Query set) or an
// expression with a name (Expr, usually Aliased).
type WithItem struct {
	At
	Name         string
	Columns      []string // WITH name (a, b) AS (…)
	Query        Query
	Materialized bool
	Expr         Expr
}

// GroupKind is the form of GROUP BY.
type GroupKind uint8

// The forms of GROUP BY.
const (
	GroupPlain GroupKind = iota
	GroupAll             // GROUP BY ALL
	GroupRollup
	GroupCube
	GroupSets // GROUPING SETS; each of Sets is one
)

// GroupBy is the whole clause. WITH TOTALS without GROUP BY has no Exprs.
type GroupBy struct {
	At
	Kind   GroupKind
	Exprs  []Expr
	Sets   []*ExprList
	Totals bool
}

// ExprList is a list where a node is needed.
type ExprList struct {
	At
	Exprs []Expr
}

// LimitBy is LIMIT n [OFFSET m] BY exprs, or BY ALL.
type LimitBy struct {
	At
	Limit  Expr
	Offset Expr
	Exprs  []Expr
	All    bool
}

// SetOp is the operation of a SelectUnion.
type SetOp uint8

// The set operations. The Default ones were written without ALL or DISTINCT:
// settings union_default_mode, intersect_default_mode and except_default_mode
// decide.
const (
	UnionDefault SetOp = iota
	UnionAll
	UnionDistinct
	IntersectDefault
	IntersectAll
	IntersectDistinct
	ExceptDefault
	ExceptAll
	ExceptDistinct
)

// SelectUnion is one set operation over two or more inputs, left to right.
// Runs of one kind of UNION are one node; INTERSECT binds tighter than the
// others; EXCEPT always has two inputs.
type SelectUnion struct {
	At
	Op     SetOp
	Inputs []Query
}

// ExplainQuery is FROM (EXPLAIN …) used as a query.
type ExplainQuery struct {
	At
	Explain *Explain
}

// QueryStatement is a query as a statement.
type QueryStatement struct {
	At
	Query Query
	Output
}

// Output says what statements with rows do with them.
type Output struct {
	Outfile     string // INTO OUTFILE
	Append      bool
	Truncate    bool
	AndStdout   bool
	Compression string
	Level       Expr
	Format      string
	// OutputSettings come after FORMAT; a query's own are in Select.Settings.
	OutputSettings []*Setting
}

// Setting is name = value; Default is name = DEFAULT.
type Setting struct {
	At
	Name    string
	Value   Expr // literal, parameter, identifier, map, or disk(…)
	Default bool
}

func (*Select) query()             {}
func (*SelectUnion) query()        {}
func (*ExplainQuery) query()       {}
func (*QueryStatement) statement() {}
func (n *QueryStatement) edit(f func(Node) Node) {
	one(&n.Query, f)
	n.Output.edit(f)
}

func (o *Output) edit(f func(Node) Node) {
	one(&o.Level, f)
	many(o.OutputSettings, f)
}
func (n *SelectUnion) edit(f func(Node) Node)  { many(n.Inputs, f) }
func (n *ExplainQuery) edit(f func(Node) Node) { one(&n.Explain, f) }
func (n *Setting) edit(f func(Node) Node)      { one(&n.Value, f) }
func (n *ExprList) edit(f func(Node) Node)     { many(n.Exprs, f) }

func (n *Select) edit(f func(Node) Node) {
	many(n.With, f)
	many(n.DistinctOn, f)
	many(n.Columns, f)
	one(&n.From, f)
	one(&n.Prewhere, f)
	one(&n.Where, f)
	one(&n.GroupBy, f)
	one(&n.Having, f)
	many(n.Windows, f)
	one(&n.Qualify, f)
	many(n.OrderBy, f)
	one(&n.OrderAll, f)
	many(n.Interpolate, f)
	one(&n.LimitBy, f)
	one(&n.Limit, f)
	one(&n.Offset, f)
	many(n.Settings, f)
}

func (n *WithItem) edit(f func(Node) Node) {
	one(&n.Query, f)
	one(&n.Expr, f)
}

func (n *GroupBy) edit(f func(Node) Node) {
	many(n.Exprs, f)
	many(n.Sets, f)
}

func (n *LimitBy) edit(f func(Node) Node) {
	one(&n.Limit, f)
	one(&n.Offset, f)
	many(n.Exprs, f)
}
