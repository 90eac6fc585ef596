package ast

// Identifier is a name with dots: a column, perhaps with table and database,
// or a subcolumn. A part of a JSON path that is a type (`.:Int64`) or a
// sub-object (`.^a`) is written :`Int64` and ^`a`, as ClickHouse names them.
type Identifier struct {
	At
	Parts []string
	// Params, when not nil, is as long as Parts: a non-empty entry is the name
	// of the query parameter ({name:Identifier}) that stands for that part.
	Params []string
}

// NewIdentifier makes an identifier without a place.
func NewIdentifier(parts ...string) *Identifier { return &Identifier{Parts: parts} }

// NullsAction is RESPECT NULLS or IGNORE NULLS after a function.
type NullsAction uint8

// The nulls actions.
const (
	NullsDefault NullsAction = iota
	NullsRespect
	NullsIgnore
)

// Function is a call of anything by name: function, operator, aggregate,
// parametric aggregate, window function, table function, engine or codec.
// As in ClickHouse, DISTINCT and FILTER (WHERE c) are already combinators:
// sum(DISTINCT x) is sumDistinct(x), sum(x) FILTER (WHERE c) is sumIf(x, c).
type Function struct {
	At
	Name string
	// Params are the first list of f(params)(args); HasParams tells f()(x) from f(x).
	Params    []Expr
	HasParams bool
	Args      []Expr
	// NoArgs: written without parentheses, as engines and codecs may be.
	NoArgs bool
	Nulls  NullsAction
	Over   *WindowSpec // OVER (…) or OVER name
	// Settings inside a table function's parentheses.
	Settings []*Setting
	// Operator: written by signs or as a special form ([1], (1, 2), a + b,
	// CASE, ::, t.1, NOT x). It says how to print, never what is meant.
	Operator bool
}

// Call makes a function node without a place.
func Call(name string, args ...Expr) *Function { return &Function{Name: name, Args: args} }

// Op is Call for what is printed as an operator.
func Op(name string, args ...Expr) *Function {
	return &Function{Name: name, Args: args, Operator: true}
}

// Aliased is an expression with AS.
type Aliased struct {
	At
	Expr  Expr
	Alias string
	// Param names the query parameter that stands for the alias, if any.
	Param string
}

// Lambda is x -> body or (x, y) -> body.
type Lambda struct {
	At
	Params []string
	Body   Expr
}

// Subquery is a query in parentheses used as a value, or as the set of IN and
// EXISTS.
type Subquery struct {
	At
	Query Query
}

// QueryParam is {name:Type}; the type is normalised text.
type QueryParam struct {
	At
	Name string
	Type string
}

// Asterisk is * or t.* with what is applied to the columns.
type Asterisk struct {
	At
	Qualifier    []string // of t.* or db.t.*
	Transformers []Transformer
}

// Columns is COLUMNS('regexp') or COLUMNS(a, b), perhaps t.COLUMNS(…).
type Columns struct {
	At
	Qualifier    []string
	Pattern      string // when List is nil
	PatternParam string // query parameter in place of the pattern
	List         []Expr
	Transformers []Transformer
}

// Transformer changes the columns that * or COLUMNS matched.
type Transformer interface {
	Node
	transformer()
}

// Apply is APPLY f, APPLY f(params), APPLY(x -> …) and APPLY(f, 'prefix').
type Apply struct {
	At
	Func   string
	Params []Expr
	Lambda *Lambda // in place of Func
	Prefix string
}

// Except is EXCEPT [STRICT] (a, b) or EXCEPT('regexp').
type Except struct {
	At
	Strict  bool
	Names   []*Identifier
	Pattern string // when Names is empty
}

// Replace is REPLACE [STRICT] (expr AS column, …).
type Replace struct {
	At
	Strict bool
	Items  []*Aliased
}

func (*Identifier) expr() {}
func (*Function) expr()   {}
func (*Aliased) expr()    {}
func (*Lambda) expr()     {}
func (*Subquery) expr()   {}
func (*QueryParam) expr() {}
func (*Asterisk) expr()   {}
func (*Columns) expr()    {}

func (*Apply) transformer()   {}
func (*Except) transformer()  {}
func (*Replace) transformer() {}

func (*Identifier) edit(func(Node) Node) {}
func (*QueryParam) edit(func(Node) Node) {}

func (n *Function) edit(f func(Node) Node) {
	many(n.Params, f)
	many(n.Args, f)
	many(n.Settings, f)
	one(&n.Over, f)
}
func (n *Aliased) edit(f func(Node) Node)  { one(&n.Expr, f) }
func (n *Lambda) edit(f func(Node) Node)   { one(&n.Body, f) }
func (n *Subquery) edit(f func(Node) Node) { one(&n.Query, f) }
func (n *Asterisk) edit(f func(Node) Node) { many(n.Transformers, f) }
func (n *Columns) edit(f func(Node) Node) {
	many(n.List, f)
	many(n.Transformers, f)
}

func (n *Apply) edit(f func(Node) Node) {
	many(n.Params, f)
	one(&n.Lambda, f)
}
func (n *Except) edit(f func(Node) Node)  { many(n.Names, f) }
func (n *Replace) edit(f func(Node) Node) { many(n.Items, f) }

// Unalias gives e without AS.
func Unalias(e Expr) Expr {
	for {
		a, ok := e.(*Aliased)
		if !ok {
			return e
		}
		e = a.Expr
	}
}
