package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/settings"
	"lakeserver/table"
)

// Resolver finds what FROM names.
type Resolver interface {
	// Table gives a table, or a view, whose query stands for it. An empty
	// database is the session's. UNKNOWN_TABLE when there is neither.
	Table(ctx context.Context, database, name string, version *functions.TimeTravel) (table.Table, *View, error)
}

// View is a query with a name. The query is not changed by analysis.
type View struct {
	Database string // the database that its unqualified names are in
	Query    ast.Query
	Columns  []table.Column // declared; nil: as the query gives them
}

// UserFunctions is a Resolver that knows functions of CREATE FUNCTION.
type UserFunctions interface {
	// UserFunction gives the function's lambda.
	UserFunction(name string) (*ast.Lambda, bool)
}

// Env is what analysis may ask of the rest of the server.
type Env struct {
	Functions *functions.Env
	Registry  *functions.Registry
	Tables    Resolver
	Params    map[string]string // values of {name:Type}
	// Run executes a plan to its end, for scalar subqueries.
	Run func(ctx context.Context, n plan.Node) ([]*column.Block, error)
	// Parse reads an expression, for columns with ALIAS expressions.
	Parse func(text string) (ast.Expr, error)
	// Explain gives the lines of FROM (EXPLAIN …); nil refuses it.
	Explain func(ctx context.Context, e *ast.Explain) ([]string, error)
	// Source refuses a table function that the user may not read; nil allows all.
	Source func(f *ast.Function) error
	// Whole refuses a table that a table function reads in its own way; nil
	// allows all.
	Whole func(t table.Table) error
}

// Result is an analysed query.
type Result struct {
	Plan   plan.Node
	Header column.Header
	// Totals tells that the result carries a row of totals.
	Totals bool
	// Output is INTO OUTFILE, FORMAT and its settings.
	Output ast.Output
	// Tables are the opened tables, for closing and for access checks.
	Tables []OpenTable
}

// OpenTable is one table that the query reads.
type OpenTable struct {
	Database, Name string // empty for table functions: Function is set
	Function       string
	Table          table.Table
}

// Analyze binds a statement that is a query. The plan is not optimised yet.
// The tree is not changed.
func Analyze(ctx context.Context, env *Env, stmt ast.Statement) (*Result, error) {
	switch s := stmt.(type) {
	case *ast.QueryStatement:
		r, err := Query(ctx, env, s.Query)
		if err != nil {
			return nil, err
		}
		r.Output = s.Output
		return r, nil
	case *ast.Insert:
		if s.Query != nil {
			return Query(ctx, env, s.Query)
		}
	}
	return nil, cherr.New(cherr.NotImplemented, "A statement of this kind (%T) is not a query", stmt)
}

// Query binds a query.
func Query(ctx context.Context, env *Env, q ast.Query) (*Result, error) {
	a := &analyzer{env: env, subqueries: map[ast.Query]int{}}
	out, err := a.query(ctx, q, a.root())
	if err != nil {
		return nil, err
	}
	return &Result{Plan: out, Header: out.Header(), Totals: a.totals, Tables: a.tables}, nil
}

// TableExpr binds what stands in FROM, as SELECT * over it would see it: for
// DESCRIBE and the header of table functions.
func TableExpr(ctx context.Context, env *Env, t *ast.TableExpr) (*Result, []table.Column, error) {
	a := &analyzer{env: env, subqueries: map[ast.Query]int{}}
	sc := a.root()
	rel, err := sc.tableExpr(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	cols := make([]table.Column, 0, len(rel.cols))
	if len(a.tables) == 1 && t.Query == nil {
		cols = append(cols, a.tables[0].Table.Columns()...)
	} else {
		for _, c := range rel.cols {
			if !c.hidden {
				cols = append(cols, table.Column{Name: c.name, Type: c.t})
			}
		}
	}
	return &Result{Plan: rel.st.node, Header: rel.st.node.Header(), Tables: a.tables}, cols, nil
}

// analyzer is the state of one statement.
type analyzer struct {
	env        *Env
	ids        int // of sources' columns
	subqueries map[ast.Query]int
	tables     []OpenTable
	totals     bool
	depth      int
	later      map[*expr.Set]bool
	numbered   int                         // subqueries named so far
	scalars    map[ast.Query]*expr.Literal // subqueries that were run
	// target is the table function that incoming columns are to be written to.
	target   *ast.Function
	incoming column.Header
}

func (a *analyzer) root() *scope {
	return &scope{a: a, fenv: a.env.Functions, aliases: map[string]*alias{}, ctes: map[string]*cte{}}
}

func (a *analyzer) id() int { a.ids++; return a.ids }

// unfilled notes a set whose rows are known only when the query runs.
func (a *analyzer) unfilled(s *expr.Set) {
	if a.later == nil {
		a.later = map[*expr.Set]bool{}
	}
	a.later[s] = true
}

// pending tells whether an expression asks such a set.
func (a *analyzer) pending(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	if l, isLambda := e.(*expr.Lambda); isLambda {
		return has(l.Body, a.pending)
	}
	return ok && c.Fn.Set != nil && a.later[c.Fn.Set]
}

func (sc *scope) setting(name string) bool { return sc.settings().Bool(name) }

func (sc *scope) settings() *settings.Settings { return sc.fenv.Settings }
