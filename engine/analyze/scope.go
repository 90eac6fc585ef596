package analyze

import (
	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// scope is what names mean inside one query block.
type scope struct {
	a      *analyzer
	parent *scope // the query around this one
	fenv   *functions.Env

	aliases map[string]*alias
	ctes    map[string]*cte
	windows map[string]*ast.WindowSpec
	rel     *relation // FROM; nil before it is resolved

	frames []*frame // parameters of the lambdas around, innermost last

	inAggregate bool // inside the arguments of an aggregate function
	inWindow    bool
	noAggregate string // clause in which aggregates are an error, e.g. WHERE
	noWindow    string

	// keys are the printed GROUP BY expressions, once they are resolved.
	keys     map[string]expr.Expr
	useNulls bool // keys read as Nullable (group_by_use_nulls)

	sets  []plan.SetBuild // of IN (subquery)
	block *scope          // the scope of the query block that this one helps; nil: itself
	outer []*outerRef     // columns of outer queries that were used
	// domain is set while a correlated subquery is planned.
	domain     *domain
	foreigners map[int]bool
}

// alias is a name for an expression of the query block.
type alias struct {
	name     string
	ast      ast.Expr
	inLambda bool // it stands inside a lambda, so it may use its parameters
	busy     bool
	e        expr.Expr // once resolved
	bound    bool      // e is all there is: ast means nothing
}

// cte is one WITH name AS (query).
type cte struct {
	item    *ast.WithItem
	scope   *scope // where it is defined
	busy    bool
	working *plan.WorkingTable // of a recursive one, while its step is analysed
	columns []string
}

// outerRef is a column of an outer query used in a subquery.
type outerRef struct {
	scope *scope // whose column it is
	ref   *ref
}

func (sc *scope) child() *scope {
	return &scope{a: sc.a, parent: sc, fenv: sc.fenv, aliases: map[string]*alias{}, ctes: map[string]*cte{}}
}

// helper is a child that is no query block of its own: what it collects belongs
// to its block.
func (sc *scope) helper() *scope {
	c := sc.child()
	c.block = sc.owner()
	return c
}

func (sc *scope) owner() *scope {
	if sc.block != nil {
		return sc.block
	}
	return sc
}

// relation is a resolved FROM: a plan and its columns.
type relation struct {
	st    *stage
	cols  []*relCol
	using []usingCol // columns that JOIN USING made common
	joins int
}

// relCol is one column of a relation.
type relCol struct {
	ref
	src    *source
	hidden bool // * does not show it
	// virtual columns give way to any other of the same name.
	virtual bool
	// expr, when set, is what the column stands for (ALIAS columns).
	expr ast.Expr
}

func (c *relCol) node() *ref { return &ref{id: c.id, name: c.name, t: c.t} }

// source is one table, table function or subquery of FROM.
type source struct {
	database, table, alias string
}

// named tells whether qualifier parts name the source, and how many.
func (s *source) named(parts []string) int {
	if len(parts) > 1 && s.alias != "" && parts[0] == s.alias {
		return 1
	}
	if s.alias != "" && s.table == "" {
		return 0
	}
	if len(parts) > 1 && parts[0] == s.table && s.table != "" {
		return 1
	}
	if len(parts) > 2 && parts[0] == s.database && parts[1] == s.table && s.table != "" {
		return 2
	}
	return 0
}

// usingCol is a column common to both sides of a join.
type usingCol struct {
	name        string
	e           expr.Expr
	left, right []int // ids of the columns it stands for
	bare        []int // those that are named without qualifier
}

// collect enters the aliases of a tree, not those of subqueries.
func (sc *scope) collect(n ast.Node, inLambda bool) error {
	var err error
	ast.Walk(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.Subquery, *ast.Select, *ast.SelectUnion:
			return false
		case *ast.Lambda:
			if !inLambda {
				if e := sc.collect(x.Body, true); e != nil {
					err = e
				}
				return false
			}
		case *ast.Aliased:
			if e := sc.enter(x, inLambda); e != nil {
				err = e
			}
		}
		return err == nil
	})
	return err
}

func (sc *scope) enter(x *ast.Aliased, inLambda bool) error {
	name, err := sc.aliasName(x)
	if err != nil {
		return err
	}
	if old, ok := sc.aliases[name]; ok {
		if ast.Equal(old.ast, x.Expr) {
			return nil
		}
		return cherr.New(cherr.MultipleExpressionsForAlias, "Multiple expressions for alias %s", name)
	}
	sc.aliases[name] = &alias{name: name, ast: x.Expr, inLambda: inLambda}
	return nil
}

func (sc *scope) aliasName(x *ast.Aliased) (string, error) {
	if x.Param == "" {
		return x.Alias, nil
	}
	return sc.a.identifierParam(x.Param)
}

// findCTE looks through the queries around.
func (sc *scope) findCTE(name string) *cte {
	for s := sc; s != nil; s = s.parent {
		if c, ok := s.ctes[name]; ok && !(c.busy && c.working == nil) {
			return c
		}
	}
	return nil
}

// nullableKey gives e as a key reads after grouping.
func (sc *scope) nullableKey(e expr.Expr) expr.Expr {
	if !sc.useNulls || sc.inAggregate || sc.keys == nil {
		return e
	}
	k, ok := sc.keys[e.String()]
	_, fixed := k.(*expr.Literal) // a constant key stays the constant
	switch {
	case !ok || fixed:
		return e
	case !k.Type().CanBeNullable():
		return k // its parts are not Nullable either, whatever keys they are
	}
	return &nullKey{k}
}

// nullKey is a GROUP BY key that a grouping set may leave out: NULL then.
type nullKey struct{ expr.Expr }

func (e *nullKey) Type() *types.Type                  { return types.Nullable(e.Expr.Type()) }
func (e *nullKey) Children() []expr.Expr              { return nil }
func (e *nullKey) WithChildren([]expr.Expr) expr.Expr { return e }

// freshAliases gives the aliases with nothing resolved yet, for another FROM.
func (sc *scope) freshAliases() map[string]*alias {
	out := make(map[string]*alias, len(sc.aliases))
	for n, a := range sc.aliases {
		c := *a
		if !c.bound {
			c.e = nil
		}
		out[n] = &c
	}
	return out
}

// foreignIDs is the set of outer columns, as the block's stages share it.
func (sc *scope) foreignIDs() map[int]bool {
	if sc.foreigners == nil {
		sc.foreigners = map[int]bool{}
	}
	return sc.foreigners
}
